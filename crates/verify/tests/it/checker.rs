//! The stand-alone checker accepts real certificates and refuses altered ones.

use crate::networks::torus;
use crate::toys::DimensionOrder;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use turnwise_network::FlowControl;
use turnwise_network::Network;
use turnwise_verify::analyse;

fn tool(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tools")
        .join(name)
}

fn certificate(network: &Network, flow_control: FlowControl) -> String {
    let routing = DimensionOrder {
        network,
        datelines: flow_control != FlowControl::Bubble,
    };
    let analysis = analyse(network, &routing, flow_control);
    analysis
        .verdict
        .certificate()
        .unwrap()
        .to_json(network, "dimension order")
}

/// Exit status and output of the checker on a certificate.
pub(crate) fn checked(name: &str, certificate: &str) -> (Option<i32>, String) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, certificate).unwrap();
    let output = Command::new("python3")
        .arg(tool("check_certificate.py"))
        .arg(&file)
        .output();
    let output = output.expect("python3 runs: the project requires it");
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

#[test]
fn real_certificates_are_accepted_and_altered_ones_refused() {
    for (name, flow_control) in [
        ("wormhole.json", FlowControl::Wormhole),
        ("bubble.json", FlowControl::Bubble),
    ] {
        let network = torus(&[4, 3, 2], 1);
        let text = certificate(&network, flow_control);
        let (status, output) = checked(name, &text);
        assert_eq!(status, Some(0), "{output}");
        assert!(output.starts_with("accepted: "));
        let mut document: Value = serde_json::from_str(&text).unwrap();
        let numbers = document["numbers"].as_array().unwrap().len();
        for vertex in [0, numbers / 2, numbers - 1] {
            let number = document["numbers"][vertex].as_i64().unwrap();
            document["numbers"][vertex] = (number + 1).into();
            let (status, output) = checked(name, &document.to_string());
            assert_eq!(status, Some(1), "{output}");
            assert!(output.contains(&format!("vertex {vertex} ")), "{output}");
            document["numbers"][vertex] = number.into();
        }
        assert_eq!(checked(name, &document.to_string()).0, Some(0));
    }
}

/// Tries every single altered number of the certificate in `sys.argv[2]`; prints how many passed.
const ALTER_ALL: &str = "\
import sys, json
sys.path.insert(0, sys.argv[1])
from check_certificate import Malformed, Refused, check, parse_certificate
from test_check_certificate import alterations
tried, passed = 0, []
for altered in alterations(json.load(open(sys.argv[2]))):
    tried += 1
    try:
        check(parse_certificate(altered))
        passed.append(altered)
    except (Malformed, Refused):
        pass
print(tried, len(passed))
";

#[test]
fn no_altered_number_of_a_real_certificate_is_accepted() {
    for flow_control in [FlowControl::Wormhole, FlowControl::Bubble] {
        let text = certificate(&torus(&[4, 3], 1), flow_control);
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("altered.json");
        std::fs::write(&file, text).unwrap();
        let output = Command::new("python3")
            .args(["-c", ALTER_ALL])
            .arg(tool(""))
            .arg(&file)
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let (tried, passed) = printed.trim().split_once(' ').unwrap();
        assert!(tried.parse::<u32>().unwrap() > 1000, "{printed}");
        assert_eq!(passed, "0");
    }
}

#[test]
fn certificates_are_stable_and_say_what_they_are_about() {
    let network = torus(&[3, 3], 1);
    let text = certificate(&network, FlowControl::Bubble);
    assert_eq!(text, certificate(&network, FlowControl::Bubble));
    let document: Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
    let expected = [
        "format",
        "version",
        "tool",
        "network",
        "routing",
        "flow_control",
        "one_packet_buffers",
        "virtual_channels",
        "channels",
        "rings",
        "escape",
        "dependencies",
        "numbers",
        "sha256",
    ];
    assert_eq!(keys, expected);
    assert_eq!(document["network"], network.description());
    assert_eq!(document["flow_control"], "bubble");
    assert_eq!(
        document["channels"].as_array().unwrap().len(),
        network.channel_count()
    );
}

#[test]
fn the_checkers_own_tests_pass() {
    let output = Command::new("python3")
        .arg("-B")
        .arg(tool("test_check_certificate.py"))
        .output();
    let output = output.expect("python3 runs: the project requires it");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
