//! Topology files as `ibnetdiscover` and people write them: who is told by which GUID, and what either end of a cable says.

#![allow(clippy::unwrap_used)]

#[path = "common/fabric.rs"]
mod fabric;

use fabric::fabric;
use turnwise_network::Network;
use turnwise_network::formats::infiniband::write;
use turnwise_network::formats::read_fabric;

fn refused(text: &str, says: &str) {
    let complaint = read_fabric(text).unwrap_err().in_file("t", text).message;
    assert!(complaint.contains(says), "{says}: {complaint}");
}

/// A switch with two adapters, of which only its own lines tell where they are.
const ONE_SIDED: &str = "\
switchguid=0x10(1010)
Switch\t41 \"S-10\"\t\t# \"leaf\" enhanced port 0 lid 1 lmc 0
[1]\t\"H-20\"[1](24) \t\t# \"node01 mlx5_0\" lid 5 4xHDR
[2][ext 7]\t\"H-30\"[1][ext 3](34) \t\t# \"node02 mlx5_0\" lid 6 4xHDR

caguid=0x20
Ca\t1 \"H-20\"\t\t# \"node01 mlx5_0\"

caguid=0x30
Ca\t1 \"H-30\"\t\t# \"node02 mlx5_0\"
";

#[test]
fn a_switch_has_a_guid_and_its_port_another_one() {
    let network = fabric(ONE_SIDED);
    let guids = |network: &Network| {
        let switch = &network.identities().unwrap().switches[0];
        (switch.guid, switch.port_guid)
    };
    assert_eq!(guids(&network), (0x10, 0x1010));
    let written = write(&network).unwrap();
    assert!(
        written.contains("switchguid=0x0000000000000010(0000000000001010)"),
        "{written}"
    );
    assert!(written.contains("\"S-0000000000000010\""), "{written}");
    assert_eq!(guids(&fabric(&written)), (0x10, 0x1010));
    // Where the file has one, both are that.
    assert_eq!(
        guids(&fabric(&ONE_SIDED.replace("(1010)", ""))),
        (0x10, 0x10)
    );
}

#[test]
fn the_other_end_says_what_an_adapter_does_not() {
    let told = |text: &str| {
        let network = fabric(text);
        let adapters = &network.identities().unwrap().adapters;
        adapters
            .iter()
            .map(|port| (port.guid, port.lid))
            .collect::<Vec<_>>()
    };
    assert_eq!(told(ONE_SIDED), [(0x24, 5), (0x34, 6)]);
    let own = "[1](24)\t\"S-10\"[1]\t\t# lid 5 lmc 2 \"leaf\" lid 1 4xHDR\n";
    let with_own =
        |line: &str| ONE_SIDED.replace("\n\ncaguid=0x30", &format!("\n{line}\ncaguid=0x30"));
    // It has LIDs 5 to 8 then, and the other adapter needs one behind these.
    let apart = with_own(own).replace("lid 6", "lid 9");
    assert_eq!(told(&apart), [(0x24, 5), (0x34, 9)]);
    assert_eq!(fabric(&apart).identities().unwrap().lmc(), 2);
    refused(&with_own(own), "LID 6 is listed twice");
    refused(
        &with_own(&own.replace("lid 5", "lid 9")),
        "t:3:43: \"H-20\"[1] has LID 9 by its own line",
    );
    refused(
        &with_own(&own.replace("(24)", "(25)")),
        "t:3:15: \"H-20\"[1] has GUID 0x0000000000000025 by its own line",
    );
    refused(
        &ONE_SIDED.replace("lid 6", "lid 5"),
        "t:4:13: LID 5 is listed twice",
    );
    refused(
        &ONE_SIDED.replace("(34)", "(24)"),
        "port GUID 0x0000000000000024 is listed twice",
    );
    refused(&ONE_SIDED.replace("(34)", "(x)"), "t:4:29: expected a GUID");
}

/// As ibsim reads it.
#[test]
fn a_switch_without_quotes_has_a_name_and_a_lid() {
    let text = ONE_SIDED.replace(
        "\"leaf\" enhanced port 0 lid 1",
        "ISR9024 Voltaire base port 0 lid 8",
    );
    let network = fabric(&text);
    let switch = &network.identities().unwrap().switches[0];
    assert_eq!((switch.name.as_str(), switch.lid), ("ISR9024 Voltaire", 8));
}

#[test]
fn what_tools_write_about_chassis_is_passed_over_and_aliases_are_not() {
    let with = |line: &str| ONE_SIDED.replace("switchguid", &format!("{line}\nswitchguid"));
    fabric(&with("Chassis 0 (guid 0x1)\nHostname: core-1"));
    refused(
        &with("@[1] \"uplink\""),
        "t:1:1: `@[port]` gives a port another name for ibsim",
    );
}
