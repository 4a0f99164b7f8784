//! What is read from studies, and what is refused.

use crate::cases;
use crate::written::read;
use std::sync::Arc;
use turnwise_config::registry::health;
use turnwise_network::topologies::{Topology, Torus};
use turnwise_network::{FlowControl, Invalid, Network, VcSet};
use turnwise_routing::algorithms::*;
use turnwise_routing::{Algorithm, Context, REGISTRY, suggest};

#[test]
fn the_registry_is_healthy_and_its_examples_parse() {
    assert_eq!(health(REGISTRY), Vec::<String>::new());
    for entry in REGISTRY {
        let written = format!("kind = \"{}\"\n{}", entry.name, entry.example);
        let mut errors = Vec::new();
        assert!(
            (entry.parse)(&read(&written), &mut errors).is_some(),
            "{}: {errors:?}",
            entry.name
        );
        let mut errors = Vec::new();
        assert!(
            (entry.parse)(&read("colour = 1"), &mut errors).is_none(),
            "{}",
            entry.name
        );
        let schema = (entry.schema)();
        let properties = schema
            .pointer("/properties")
            .and_then(|properties| properties.as_object())
            .unwrap();
        assert!(
            properties
                .values()
                .all(|property| property.get("description").is_some()),
            "{}",
            entry.name
        );
    }
}

/// What an editor underlines by the schema is refused when it is read or built, of every algorithm: numbers below the least that is allowed.
#[test]
fn what_schemas_refuse_is_refused() {
    let networks: Vec<_> = [
        cases::grids(),
        cases::dragonflies(),
        cases::megaflies(),
        cases::trees(),
        cases::slim_flies(),
        cases::butterflies(),
        cases::angara_systems(),
    ]
    .concat();
    let mut refused = 0;
    for entry in REGISTRY {
        let schema = (entry.schema)();
        let properties = schema.pointer("/properties").unwrap();
        for (field, property) in properties.as_object().unwrap() {
            if !property.to_string().contains(r#""minimum":1"#) {
                continue;
            }
            let written = format!("{field} = 0");
            let Some(algorithm) = (entry.parse)(&read(&written), &mut Vec::new()) else {
                refused += 1;
                continue;
            };
            let mut fitting = networks.iter().filter(|it| (entry.fits)(it.shape()));
            let built = fitting.find(|it| algorithm.build(it, &Context::default()).is_ok());
            assert!(built.is_none(), "{}: {written}", entry.name);
            refused += 1;
        }
    }
    assert!(refused > 8, "{refused}");
}

fn refusal(
    algorithm: impl Algorithm,
    network: &Arc<Network>,
    context: Context<'static>,
) -> Invalid {
    algorithm
        .build(network, &context)
        .err()
        .expect("should be refused")
}

#[test]
fn misfits_are_told_apart_from_mistakes() {
    let (torus, dragonfly) = (&cases::grids()[0], &cases::dragonflies()[0]);
    let plain = Context::default();
    let error = refusal(Minimal::default(), torus, plain);
    assert_eq!(error.place, "kind");
    let error = refusal(DimensionOrder::default(), dragonfly, plain);
    let error = suggest(error, "dimension-order", dragonfly);
    assert!(
        error
            .message
            .starts_with("`dimension-order` routes meshes, tori"),
        "{}",
        error.message
    );
    let help = error.help.unwrap();
    assert!(
        help.contains("`minimal`, `valiant`, `ugal`") && !help.contains("d-mod-k"),
        "{help}"
    );
    for algorithm in [
        Box::new(DModK::default()) as Box<dyn Algorithm>,
        Box::new(SModK::default()),
        Box::new(Nca::default()),
        Box::new(Anca::default()),
        Box::new(Par::default()),
    ] {
        assert_eq!(algorithm.build(torus, &plain).err().unwrap().place, "kind");
    }
    let order = |order: &[u32]| DimensionOrder {
        order: Some(order.to_vec()),
        ..DimensionOrder::default()
    };
    assert_eq!(refusal(order(&[0, 0]), torus, plain).place, "order");
    assert_eq!(refusal(order(&[0]), torus, plain).place, "order");
    assert!(order(&[1, 0]).build(torus, &plain).is_ok());
    let leaf = Valiant {
        via: Some(Via::Leaf),
        ..Valiant::default()
    };
    assert_eq!(refusal(leaf, dragonfly, plain).place, "via");
    let shortcut = Valiant {
        gg_shortcut: true,
        ..Valiant::default()
    };
    assert_eq!(
        refusal(shortcut.clone(), dragonfly, plain).place,
        "gg_shortcut"
    );
    assert_eq!(refusal(shortcut, torus, plain).place, "gg_shortcut");
    let group = Valiant {
        via: Some(Via::Group),
        ..Valiant::default()
    };
    assert_eq!(refusal(group, torus, plain).place, "via");
    let inside = Valiant {
        intra_group: IntraGroup::Valiant,
        ..Valiant::default()
    };
    assert_eq!(refusal(inside, torus, plain).place, "intra_group");
    for algorithm in [
        Box::new(Romm::default()) as Box<dyn Algorithm>,
        Box::new(MinimalOblivious::default()),
    ] {
        let error = algorithm.build(dragonfly, &plain).err().unwrap();
        assert_eq!(error.place, "kind");
    }
}

#[test]
fn virtual_channels_are_those_of_the_router() {
    let (torus, dragonfly) = (&cases::grids()[0], &cases::dragonflies()[0]);
    let router = |count| Context {
        router_virtual_channels: Some(count),
        ..Context::default()
    };
    let field = |count, context| {
        refusal(
            Minimal {
                virtual_channels: count,
                ..Minimal::default()
            },
            dragonfly,
            context,
        )
        .place
    };
    for (count, context) in [
        (Some(0), router(4)),
        (Some(5), router(4)),
        (Some(40), Context::default()),
        (None, router(1)),
    ] {
        assert_eq!(field(count, context), "virtual_channels");
    }
    let routing = Minimal::default().build(dragonfly, &router(4)).unwrap();
    assert_eq!(routing.virtual_channels(), 4);
    let start = routing
        .start(
            turnwise_network::TerminalId(0),
            turnwise_network::TerminalId(9),
        )
        .unwrap();
    assert_eq!(start.vcs, VcSet::all(4));
    let datelines = DimensionOrder {
        classes: Some(Classes::Dateline),
        ..DimensionOrder::default()
    };
    assert_eq!(refusal(datelines, torus, router(1)).place, "classes");
    let count = |context| {
        DimensionOrder::default()
            .build(torus, &context)
            .unwrap()
            .virtual_channels()
    };
    assert_eq!(count(Context::default()), 2);
    assert_eq!(count(router(1)), 1);
    assert_eq!(count(router(6)), 6);
    assert_eq!(
        count(Context {
            flow_control: FlowControl::Bubble,
            ..Context::default()
        }),
        1
    );
}

/// BookSim's `dim_order_torus`: going up, class 1 wraps around; going down, class 1 does not.
#[test]
fn classes_of_a_ring_are_booksims() {
    use turnwise_network::{RouterId, TerminalId};
    let ring = Arc::new(
        Torus {
            sizes: vec![5],
            ..Torus::default()
        }
        .build(None)
        .unwrap(),
    );
    let algorithm = DimensionOrder {
        virtual_channels: Some(4),
        ..DimensionOrder::default()
    };
    let routing = algorithm.build(&ring, &Context::default()).unwrap();
    let classes = |from: u32, to: u32| {
        let mut header = routing
            .start(TerminalId(from), TerminalId(to))
            .unwrap()
            .header;
        let (mut at, mut classes) = (RouterId(from), Vec::new());
        loop {
            let mut options = Vec::new();
            routing.options(at, header, &mut options);
            header = options[0].header;
            let Some(next) = ring.next_router(at, options[0].port) else {
                return classes;
            };
            classes.push((options[0].port, options[0].vcs.0));
            at = next;
        }
    };
    assert_eq!(classes(0, 2), [(1, 0b11), (1, 0b11)]);
    assert_eq!(classes(4, 1), [(1, 0b1100), (1, 0b1100)]);
    assert_eq!(classes(2, 0), [(2, 0b1100), (2, 0b1100)]);
    assert_eq!(classes(1, 4), [(2, 0b11), (2, 0b11)]);
}

/// Where a lane is a service level's own, and docs say that there are at most 16, the seventeenth is refused; a router may have it.
#[test]
fn no_lane_is_asked_for_beyond_the_service_levels() {
    let networks = [cases::grids(), cases::trees()].concat();
    let mut tried = 0;
    for entry in REGISTRY {
        let schema = (entry.schema)();
        let told = schema.pointer("/properties/virtual_lanes/description");
        let told = told.and_then(|text| text.as_str()).unwrap_or_default();
        if !told.contains("at most 16") {
            continue;
        }
        let build = |written: &str, network: &Arc<Network>, context: Context<'static>| {
            let algorithm = (entry.parse)(&read(written), &mut Vec::new());
            algorithm.unwrap().build(network, &context)
        };
        let plain = Context::default();
        let fits = |network: &&Arc<Network>| build("", network, plain).is_ok();
        let network = networks.iter().find(fits).expect(entry.name);
        let refused = build("virtual_lanes = 17", network, plain).err();
        let refused = refused.unwrap_or_else(|| panic!("{}: not refused", entry.name));
        assert_eq!(refused.place, "virtual_lanes", "{}", entry.name);
        assert!(refused.message.ends_with("there are 16; found 17"));
        let large = Context {
            router_virtual_channels: Some(20),
            ..plain
        };
        assert!(build("", network, large).is_ok(), "{}", entry.name);
        tried += 1;
    }
    assert!(tried > 4, "{tried}");
}
