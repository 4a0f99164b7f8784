//! What classes of messages apart are refused, and routings inside with more than the registry's have to say.

use std::sync::Arc;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{Mesh, Topology};
use turnwise_network::{
    Congestion, Header, Hop, Notice, Receiver, RouterId, Routing, Sender, Sensing, Start,
    TerminalId, Vc, VcSet,
};
use turnwise_routing::algorithms::DimensionOrder;
use turnwise_routing::{Algorithm, Context, MessageClasses};

/// As many virtual channels as are given, of which the first may be set out on, or the last.
struct Either(Vc);

impl Sensing for Either {
    fn words(&self, _: u32) -> usize {
        0
    }

    fn lines(&self, _: RouterId) -> Vec<Vec<Receiver>> {
        Vec::new()
    }

    fn report(&self, _: RouterId, _: &dyn Congestion, _: &mut [Notice]) {}

    fn receive(&self, _: u32, _: Sender, _: Notice, _: &mut [u32]) -> bool {
        false
    }

    fn marks(&self) -> bool {
        true
    }
}

impl Routing for Either {
    fn virtual_channels(&self) -> Vc {
        self.0
    }

    fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
        Some(Start {
            header: Header::to(destination),
            vcs: VcSet::one(0),
        })
    }

    fn starts(
        &self,
        source: TerminalId,
        destination: TerminalId,
        class: u8,
        starts: &mut Vec<Start>,
    ) {
        assert_eq!(class, 0, "the routing inside knows nothing of classes");
        let first = self.start(source, destination);
        starts.extend(first);
        starts.extend(first.map(|start| Start {
            vcs: VcSet::one(self.0 - 1),
            ..start
        }));
    }

    fn chooses_start(&self) -> bool {
        true
    }

    fn options(&self, _: RouterId, header: Header, options: &mut Vec<Hop>) {
        assert_eq!(
            header.message, 0,
            "the routing inside knows nothing of classes"
        );
        options.push(Hop {
            port: 0,
            vcs: VcSet::all(self.0),
            header,
        });
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(self)
    }
}

fn apart(vcs: Vc, classes: u8) -> MessageClasses {
    let inner: Arc<dyn Routing> = Arc::new(Either(vcs));
    MessageClasses::new(inner, classes).unwrap()
}

#[test]
fn several_starts_stay_several_each_in_its_own_block() {
    let routing = apart(3, 4);
    assert!(routing.chooses_start());
    for class in 0..4_u8 {
        let mut starts = Vec::new();
        routing.starts(TerminalId(0), TerminalId(5), class, &mut starts);
        let vcs: Vec<VcSet> = starts.iter().map(|start| start.vcs).collect();
        assert_eq!(vcs, [VcSet::one(3 * class), VcSet::one(3 * class + 2)]);
        assert!(starts.iter().all(|start| start.header.message == class));
        let drawn = (0..20).map(|draw| {
            let mut rng = Random::new(draw, Purpose::Routing, 0, 0);
            let start = routing.choose_start(TerminalId(0), TerminalId(5), class, &mut rng);
            start.unwrap()
        });
        let drawn: Vec<Start> = drawn.collect();
        assert!(starts.iter().all(|start| drawn.contains(start)));
        assert!(drawn.iter().all(|start| starts.contains(start)));
    }
}

/// Who has more classes than there are blocks shares the last one, and the verifier will see it.
#[test]
fn classes_beyond_the_last_share_its_block() {
    let routing = apart(2, 2);
    let starts = |class| {
        let mut starts = Vec::new();
        routing.starts(TerminalId(0), TerminalId(5), class, &mut starts);
        starts
    };
    assert_eq!(starts(1), starts(2));
    let beyond = Header {
        message: 7,
        ..Header::to(TerminalId(5))
    };
    let mut options = Vec::new();
    routing.options(RouterId(0), beyond, &mut options);
    assert_eq!(options[0].vcs, VcSet::range(2, 4));
    assert_eq!(options[0].header.message, 1);
}

#[test]
fn what_routers_tell_each_other_is_told_all_the_same() {
    let routing = apart(2, 2);
    assert!(routing.sensing().is_some_and(|sensing| sensing.marks()));
}

#[test]
fn more_virtual_channels_than_there_can_be_are_refused() {
    let refused = |vcs, classes| {
        let inner: Arc<dyn Routing> = Arc::new(Either(vcs));
        MessageClasses::new(inner, classes).err().unwrap()
    };
    let error = refused(12, 3);
    assert_eq!(error.place, "virtual_channels");
    assert_eq!(
        error.message,
        "3 classes of messages need 36 virtual channels, 12 each; a channel has at most 32"
    );
    assert_eq!(error.help.unwrap(), "leave 10 to each class");
    assert_eq!(refused(1, 33).help, None);
    assert_eq!(refused(1, 0).place, "classes");
    assert_eq!(apart(16, 2).virtual_channels(), VcSet::CAPACITY);
    // What an algorithm has built can be used as it is.
    let mesh = Mesh {
        sizes: vec![3, 3],
        ..Mesh::default()
    };
    let mesh = Arc::new(mesh.build(None).unwrap());
    let inner = DimensionOrder::default().build(&mesh, &Context::default());
    assert!(MessageClasses::new(inner.unwrap(), 32).is_ok());
}
