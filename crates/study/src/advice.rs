//! What is allowed and probably not meant: sentences for people, with what to do about it.

use crate::forecast::Routes;
use crate::plan::{Plan, PlannedPoint};
use crate::row::point_fields;
use crate::workshop::Experiment;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use turnwise_config::diagnostic::{Diagnostic, enumerated};
use turnwise_config::document::Value;
use turnwise_network::metrics::remarks;
use turnwise_network::{Channel, ChannelClass, Network, PerClass, Vc};
use turnwise_sim::RouterModel;

/// Something to think about before results are believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What the first point that it holds for sweeps of network, routing and router, or of its workload; empty if nothing.
    pub point: String,
    /// How many distinct ones of these it holds for.
    pub times: usize,
    /// What is to be known, and what to do.
    pub sentence: String,
}

impl fmt::Display for Advice {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.point.is_empty() {
            write!(text, "{}: ", self.point)?;
        }
        write!(text, "{}", self.sentence)?;
        match self.times {
            0 | 1 => Ok(()),
            2 => write!(text, " (so for 1 other setting)"),
            times => write!(text, " (so for {} other settings)", times - 1),
        }
    }
}

/// Settings that are looked at; those of larger sweeps repeat themselves.
const MOST: usize = 1_000;

/// Advice on the distinct networks, routings and routers of a plan, and on its distinct workloads, each sentence once.
///
/// # Errors
/// As [`Plan::experiment`].
pub fn advice(plan: &Plan) -> Result<Vec<Advice>, Diagnostic> {
    let mut all: Vec<Advice> = Vec::new();
    let settings = plan.routings().zip(highest_loads(plan));
    let mut lanes = BTreeSet::new();
    let mut notifies = Vec::new();
    for (planned, highest) in settings.take(MOST) {
        let experiment = plan.experiment(&planned, None)?;
        let remarks = remarks(&experiment.routed.network).collect();
        add(&mut all, &planned, &["network"], remarks);
        if let Some(switches) = &experiment.ethernet {
            let is_written = planned.point.document.at_path("ethernet.congestion");
            notifies.extend(is_written.map(|_| switches.notifications.is_some()));
            continue;
        }
        let is_said = |path| planned.point.document.at_path(path).is_some();
        let are_chosen = ["router.virtual_channels", "routing.virtual_channels"].map(is_said);
        if experiment.find_saturation && are_chosen == [false; 2] {
            lanes.insert(experiment.model.virtual_channels);
        }
        let mut sentences = short_buffers(&experiment.routed.network, &experiment.model);
        sentences.extend(withholds_nothing(&experiment));
        if let Some(load) = highest.or(experiment.demand.load()) {
            sentences.extend(few_lanes(&experiment, load));
        }
        let tables = ["network", "routing", "router"];
        add(&mut all, &planned, &tables, sentences);
    }
    all.extend(unlike_lanes(&lanes));
    all.extend(unheeded_congestion(&notifies));
    let mut seen = BTreeSet::new();
    let workload = |planned: &PlannedPoint| {
        let document = &planned.point.document;
        let table = |name: &str| document.at_path(name).map(Value::canonical);
        // Programs that are read from files have as many ranks on every network, and take a while to be read; jobs may be such.
        let is_read = ["workload.file", "workload.files", "workload.jobs"]
            .iter()
            .any(|path| document.at_path(path).is_some());
        let places = ["network", "placement"].map(|name| table(name).filter(|_| !is_read));
        (table("workload"), places)
    };
    // Of traffic there is nothing to remark.
    let has_workload = plan.first.workload().is_some();
    let points = plan.points().take(if has_workload { MOST } else { 0 });
    for planned in points.filter(|planned| seen.insert(workload(planned))) {
        add(&mut all, &planned, &["workload"], plan.remarks(&planned)?);
    }
    Ok(all)
}

/// Routers of a study of what networks carry at most that have as many virtual channels as is needed, and so not all as many: one alone is
/// taken up by one packet after the other, which says nothing of the network.
fn unlike_lanes(lanes: &BTreeSet<Vc>) -> Option<Advice> {
    let (least, most) = (lanes.first()?, lanes.last()?);
    let sentence = format!(
        "routers have {least} to {most} virtual channels here, as many as each network and routing needs, and those with few carry less; \
         router.virtual_channels = {most} compares networks whose routers are alike"
    );
    (least < most).then_some(Advice {
        point: String::new(),
        times: 1,
        sentence,
    })
}

/// Settings with constants of congestion notification, by whether their switches notify of any: if none does, nothing heeds them.
fn unheeded_congestion(notifies: &[bool]) -> Option<Advice> {
    let sentence = "ethernet.congestion has no effect, because no switch sends notifications: write ethernet.notifications = true, or choose a \
                    routing that takes notice of them, such as \"snooping\"";
    (!notifies.is_empty() && !notifies.contains(&true)).then(|| Advice {
        point: String::new(),
        times: notifies.len(),
        sentence: sentence.into(),
    })
}

/// Adds what is to be said of a point, whose fields of some tables it depends on.
fn add(all: &mut Vec<Advice>, planned: &PlannedPoint, tables: &[&str], sentences: Vec<String>) {
    for sentence in sentences {
        if let Some(known) = all.iter_mut().find(|known| known.sentence == sentence) {
            known.times += 1;
            continue;
        }
        let fields = point_fields(&planned.point, false);
        let fields = fields
            .iter()
            .filter(|(name, _)| tables.iter().any(|table| name.starts_with(table)));
        let fields: Vec<String> = fields
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        all.push(Advice {
            point: fields.join(", "),
            times: 1,
            sentence,
        });
    }
}

/// Buffers that run empty before a credit is back, by class of channels.
fn short_buffers(network: &Network, model: &RouterModel) -> Vec<String> {
    // What a channel takes until a credit is back, and how long that is.
    let need = |channel: &Channel| {
        let round_trip = model.credit_round_trip(channel.latency);
        (round_trip.div_ceil(channel.interval), round_trip)
    };
    let mut longest: BTreeMap<ChannelClass, &Channel> = BTreeMap::new();
    for (_, channel) in network.channels() {
        let known = longest.entry(channel.class).or_insert(channel);
        if need(channel) > need(known) {
            *known = channel;
        }
    }
    let same = model.buffers == PerClass::all(model.buffers.local);
    let of_class = PerClass {
        terminal: ".terminal",
        local: ".local",
        global: ".global",
    };
    let field = |class| if same { "" } else { *of_class.of(class) };
    let short = longest.into_iter().filter_map(|(class, channel)| {
        let (enough, round_trip) = need(channel);
        let flits = model.buffer_flits(channel);
        let share = 100.0 * f64::from(flits * channel.interval) / f64::from(round_trip);
        let figures = (flits, channel.latency, round_trip, share, enough);
        (flits < enough).then(|| (class, (figures, field(class))))
    });
    let told = alike(short).into_iter().map(|(classes, (figures, field))| {
        let (flits, latency, round_trip, share, enough) = figures;
        format!(
            "buffers of {flits} flits are short for {classes} channels of {}: a credit is back after {round_trip} cycles, \
             so one virtual channel can use at most {share:.1} % of the channel; \
             router.buffer_flits{field} = {enough} would do",
            cycles(latency),
        )
    });
    told.collect()
}

/// Names of classes of which the same is to be said, as one phrase: `\u{b1}x and \u{b1}y`.
fn alike<K: PartialEq>(classes: impl Iterator<Item = (ChannelClass, K)>) -> Vec<(String, K)> {
    let mut groups: Vec<(Vec<ChannelClass>, K)> = Vec::new();
    for (class, said) in classes {
        match groups.iter_mut().find(|(_, known)| *known == said) {
            Some((members, _)) => members.push(class),
            None => groups.push((vec![class], said)),
        }
    }
    let named = groups
        .into_iter()
        .map(|(members, said)| (named(&members), said));
    named.collect()
}

fn named(classes: &[ChannelClass]) -> String {
    let other_way = |class: ChannelClass| match class {
        ChannelClass::Dimension {
            dimension,
            positive,
        } => Some(ChannelClass::Dimension {
            dimension,
            positive: !positive,
        }),
        _ => None,
    };
    let mut names = Vec::new();
    for &class in classes {
        let both = other_way(class).is_some_and(|other| classes.contains(&other));
        let name = match (both, class) {
            (false, _) => class.name(),
            (true, ChannelClass::Dimension { positive: true, .. }) => {
                class.name().replace('+', "\u{b1}")
            }
            // Its other way speaks for both.
            (true, _) => continue,
        };
        names.push(name);
    }
    enumerated(&names)
}

/// Credits that were to be withheld until it is known what for.
fn withholds_nothing(experiment: &Experiment) -> Option<String> {
    let sensing = experiment.routed.routing.sensing()?;
    let is_meant = sensing.most_withheld() > 0;
    (is_meant && experiment.model.has_registers()).then(|| {
        "routers with router.stages = \"registers\" credit a flit before they know its output, so this routing withholds no \
         credits, and decides as `ugal` does; router.stages = \"batched\" would do"
            .to_owned()
    })
}

/// Below this share of a channel it is its virtual channels that limit what gets through, and not what packets do to each other.
const LITTLE: f64 = 0.5;

/// Classes of channels that cannot carry a load, because packets as short take but some of their virtual channels.
fn few_lanes(experiment: &Experiment, load: f64) -> Vec<String> {
    let (network, model) = (&experiment.routed.network, &experiment.model);
    let routes = Routes::of(experiment);
    let pace = model.lane_pace(routes.packet_flits());
    let few = routes.overloaded(load).filter_map(|(class, vcs)| {
        let same = network
            .channels()
            .filter(|(_, channel)| channel.class == class);
        let interval = same.map(|(_, channel)| channel.interval).min()?;
        let (used, all) = (vcs.0.count_ones(), model.virtual_channels);
        let share = f64::from(used) * pace * f64::from(interval);
        let is_narrow = used < u32::from(all) && share < LITTLE;
        is_narrow.then_some((class, (used, all, share)))
    });
    let told = alike(few).into_iter().map(|(classes, (used, all, share))| {
        format!(
            "packets of {} cannot follow each other closely in a virtual channel, and in an idle network they take {used} of the {all} of \
             {classes} channels: they use at most {:.1} % of such a channel, and more is offered; more virtual channels or longer packets use more",
            counted_flits(routes.packet_flits()),
            100.0 * share,
        )
    });
    told.collect()
}

/// The highest load that is swept with each network, routing and router, in the order of their first points.
fn highest_loads(plan: &Plan) -> Vec<Option<f64>> {
    let mut places = BTreeMap::new();
    let mut highest: Vec<Option<f64>> = Vec::new();
    for index in 0..plan.len() {
        let place = *places.entry(plan.routing(index)).or_insert(highest.len());
        let load = plan.load(index);
        match highest.get_mut(place) {
            None => highest.push(load),
            Some(known) if load > *known => *known = load,
            Some(_) => {}
        }
    }
    highest
}

fn counted_flits(flits: f64) -> String {
    match flits {
        1.0 => "1 flit".to_owned(),
        _ => format!("{} flits", (10.0 * flits).round() / 10.0),
    }
}

fn cycles(number: u32) -> String {
    format!("{number} cycle{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn of(text: &str) -> Vec<Advice> {
        advice(&testing::plan(text, &[])).unwrap()
    }

    const DRAGONFLY: &str = "[network]\nkind = 'dragonfly'\ngroups = 5\nrouters_per_group = 4\nterminals_per_router = 2\n\
        global_ports_per_router = 1\nchannel_latency = { local = 1, global = 100 }\n[routing]\nkind = 'minimal'\n\
        [traffic]\npattern = 'uniform'\nload = 0.1\npacket_flits = 4\n";

    #[test]
    fn buffers_shorter_than_a_round_trip_are_told_by_class() {
        let found = of(&format!("{DRAGONFLY}[router]\nbuffer_flits = 16\n"));
        let [short] = found.as_slice() else {
            panic!("{found:?}")
        };
        let round_trip = RouterModel::default().credit_round_trip(100);
        let enough = format!("router.buffer_flits = {round_trip} would do");
        assert!(
            short.sentence.contains("global channels of 100 cycles"),
            "{short}"
        );
        assert!(short.sentence.ends_with(&enough), "{short}");
        let share = format!("at most {:.1} %", 1600.0 / f64::from(round_trip));
        assert!(short.sentence.contains(&share), "{short}");
        assert!(
            of(&format!(
                "{DRAGONFLY}[router]\nbuffer_flits = {round_trip}\n"
            ))
            .is_empty()
        );
        assert!(of(DRAGONFLY).is_empty(), "the default is long enough");
    }

    /// Of four virtual channels minimal packets of UGAL have one between groups, and of six two.
    #[test]
    fn few_virtual_channels_are_told_where_packets_are_short() {
        let told = |routing: &str, lanes: u32, flits: u32, loads: &str| {
            let text = DRAGONFLY.replace("'minimal'", routing);
            let text = text.replace("packet_flits = 4", &format!("packet_flits = {flits}"));
            let router = format!("[router]\nvirtual_channels = {lanes}\n");
            of(&format!(
                "{text}{router}[sweep]\n'traffic.load' = {loads}\n"
            ))
        };
        let ugal = |lanes, flits| told("'ugal'", lanes, flits, "[0.1, 0.3]");
        let found = ugal(4, 1);
        let [few] = found.as_slice() else {
            panic!("{found:?}")
        };
        for part in [
            "packets of 1 flit",
            "1 of the 4 of global channels",
            "33.3 %",
        ] {
            assert!(few.sentence.contains(part), "{few}");
        }
        assert!(ugal(6, 1).is_empty(), "{:?}", ugal(6, 1));
        assert!(ugal(4, 2).is_empty());
        let minimal = |lanes, loads| told("'minimal'", lanes, 1, loads).len();
        assert_eq!(minimal(2, "[0.1, 0.3]"), 1, "a class has one");
        assert_eq!(minimal(4, "[0.1, 0.3]"), 0);
        assert_eq!(minimal(2, "[0.1, 0.2]"), 0, "that gets through");
    }

    #[test]
    fn credits_that_cannot_be_withheld_are_told() {
        let told = |routing: &str, router: &str| {
            let text = DRAGONFLY.replace("'minimal'", routing);
            of(&format!("{text}[router]\n{router}\n"))
        };
        let found = told("'crt'", "preset = 'supersim-ioq'");
        let about = |told: &&Advice| told.sentence.contains("withholds no credits");
        assert_eq!(found.iter().filter(about).count(), 1, "{found:?}");
        for (routing, router) in [
            ("'crt'", "preset = 'booksim-iq'"),
            ("'crt'\nmost_withheld_cycles = 0", "preset = 'supersim-ioq'"),
            ("'ugal'", "preset = 'supersim-ioq'"),
        ] {
            let found = told(routing, router);
            assert!(!found.iter().any(|told| about(&told)), "{found:?}");
        }
    }

    /// Only the class whose buffers are short, by its own name.
    #[test]
    fn classes_have_buffers_of_their_own() {
        let router = |text: &str| of(&format!("{DRAGONFLY}[router]\nbuffer_flits = {text}\n"));
        let found = router("{ terminal = 1, local = 16, global = 20 }");
        let [short] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert!(
            short
                .sentence
                .starts_with("buffers of 20 flits are short for global")
        );
        assert!(
            short.sentence.contains("router.buffer_flits.global = "),
            "{short}"
        );
        assert!(router("'round-trip'").is_empty());
        assert!(router("{ local = 16, global = 'round-trip' }").is_empty());
    }

    /// What holds for both ways of all dimensions is said once, and a dimension of longer channels by itself.
    #[test]
    fn channels_alike_are_told_of_together() {
        let told = |latency: &str| -> Vec<String> {
            let found = of(&format!(
                "[network]\nkind = 'torus'\nsizes = [4, 4, 4]\nchannel_latency = {latency}\n\
                 [routing]\nkind = 'dimension-order'\n[router]\nbuffer_flits = 4\n\
                 [traffic]\npattern = 'uniform'\nload = 0.1\n"
            ));
            let sentences = found.iter().map(|advice| advice.sentence.clone());
            sentences.collect()
        };
        let same = told("{ terminal = 1, local = 4 }");
        let [all] = same.as_slice() else {
            panic!("{same:?}")
        };
        assert!(
            all.contains("for \u{b1}x, \u{b1}y and \u{b1}z channels of 4 cycles"),
            "{all}"
        );
        let unlike = told("{ terminal = 1, dimensions = [4, 4, 9] }");
        let [short, long] = unlike.as_slice() else {
            panic!("{unlike:?}")
        };
        assert!(
            short.contains("for \u{b1}x and \u{b1}y channels of 4 cycles"),
            "{short}"
        );
        assert!(long.contains("for \u{b1}z channels of 9 cycles"), "{long}");
    }

    /// Of channels as long, the fastest ones need most.
    #[test]
    fn slow_channels_hide_no_fast_ones() {
        let told = |intervals: [u32; 2]| {
            let links = intervals.map(|interval| format!("{{\"a\":{{\"router\":0,\"port\":{0}}},\"b\":{{\"router\":1,\"port\":{0}}},\"latency\":40,\"interval\":{interval}}}", 1 + interval / 13));
            let json = format!(
                "{{\"routers\":[{{\"terminals\":1}},{{\"terminals\":1}}],\"links\":[{}]}}",
                links.join(",")
            );
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("links.json");
            std::fs::write(&file, json).unwrap();
            let found = of(&format!(
                "[network]\nkind = 'edge-list'\nfile = '{}'\n[routing]\nkind = 'shortest-path'\n\
                 [router]\nbuffer_flits = 16\n[traffic]\npattern = 'uniform'\nload = 0.1\n",
                file.display()
            ));
            found
                .iter()
                .map(Advice::to_string)
                .collect::<Vec<_>>()
                .join("\n")
        };
        let (first, last) = (told([13, 1]), told([1, 13]));
        assert!(first.contains("buffers of 16 flits are short"), "{first}");
        assert_eq!(first, last);
    }

    #[test]
    fn advice_names_its_point_and_is_given_once() {
        let sweep = "[sweep]\n'router.buffer_flits' = [16, 400]\n'routing.kind' = ['minimal', 'valiant']\n\
                     'traffic.load' = [0.1, 0.2]\n";
        let found = of(&format!("{DRAGONFLY}{sweep}"));
        let [short] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(short.times, 2);
        assert_eq!(
            short.point,
            "router.buffer_flits = 16, routing.kind = \"minimal\""
        );
        assert!(
            short.to_string().ends_with("(so for 1 other setting)"),
            "{short}"
        );
    }

    #[test]
    fn unlike_lanes_are_told_where_saturation_is_compared() {
        let of_sweep = |simulation: &str, more: &str| {
            let sweep = "[sweep]\n'routing.kind' = ['minimal', 'valiant']\n";
            let found = of(&format!(
                "{DRAGONFLY}[simulation]\n{simulation}\n{sweep}{more}"
            ));
            let lanes =
                |advice: &&Advice| advice.sentence.starts_with("routers have 2 to 4 virtual");
            found.iter().filter(lanes).count()
        };
        let searched = "find_saturation = true";
        assert_eq!(of_sweep(searched, ""), 1);
        assert_eq!(of_sweep("", ""), 0);
        for chosen in ["router.virtual_channels", "routing.virtual_channels"] {
            assert_eq!(of_sweep(searched, &format!("'{chosen}' = [4, 8]\n")), 0);
        }
    }

    #[test]
    fn what_has_no_effect_is_told() {
        let tree = "[study]\nclock = '1.25 GHz'\nflit_size = '1 B'\n[network]\nkind = 'xgft'\nm = [4, 3]\nw = [1, 4]\n";
        let heard = |rest: &str| {
            let found = of(&format!("{tree}{rest}"));
            let words = found.iter().map(Advice::to_string);
            words.collect::<Vec<_>>().join("\n")
        };
        let traffic = "[traffic]\npattern = 'uniform'\nload = 0.1\npacket_flits = 1500\n";
        let congestion = |more: &str| {
            heard(&format!(
                "[routing]\nkind = 'd-mod-k'\n[ethernet]\n{more}[ethernet.congestion]\nsample_flits = 1500\n{traffic}"
            ))
        };
        assert!(congestion("").starts_with("ethernet.congestion has no effect"));
        assert_eq!(congestion("notifications = true\n"), "");
        let swept = "[ethernet]\n[ethernet.congestion]\nsample_flits = 1500\n[sweep]\n'routing.kind' = ['d-mod-k', 'snooping']\n";
        assert_eq!(heard(&format!("{traffic}{swept}")), "");
        let gather = |algorithm: &str, ranks: u32| {
            heard(&format!(
                "[routing]\nkind = 'd-mod-k'\n[workload]\nkind = 'collective'\ncollective = 'all-gather'\nbytes = 64\n\
                 algorithm = '{algorithm}'\nranks = {ranks}\n"
            ))
        };
        let replaced = gather("recursive-doubling", 12);
        assert!(
            replaced.contains("`recursive-doubling` does no all-gather among 12 ranks; `"),
            "{replaced}"
        );
        assert_eq!(gather("recursive-doubling", 8), "");
        assert_eq!(gather("ring", 12), "");
        // The second job has the terminals that the first one leaves.
        let job = |name: &str, rest: &str| {
            format!(
                "[[workload.jobs]]\nname = '{name}'\nkind = 'collective'\ncollective = 'all-gather'\nbytes = 64\n{rest}\n"
            )
        };
        let jobs = |ranks: u32| {
            heard(&format!(
                "[routing]\nkind = 'd-mod-k'\n[workload]\nkind = 'jobs'\n{}{}",
                job("a", &format!("algorithm = 'ring'\nranks = {ranks}")),
                job("b", "algorithm = 'recursive-doubling'")
            ))
        };
        assert!(jobs(5).contains("job `b`: `recursive-doubling` does no all-gather among 7 ranks"));
        assert_eq!(jobs(4), "");
        // A placement leaves fewer places than there are terminals.
        let behind = |first: u32| {
            heard(&format!(
                "[routing]\nkind = 'd-mod-k'\n[workload]\nkind = 'collective'\ncollective = 'all-gather'\nbytes = 64\n\
                 algorithm = 'recursive-doubling'\n[placement]\nkind = 'linear'\nfirst = {first}\n"
            ))
        };
        assert!(behind(5).contains("among 7 ranks"));
        assert_eq!(behind(4), "");
        let jobs = |placements: [&str; 2]| {
            let job = |name: &str, placement: &str| {
                format!(
                    "[[workload.jobs]]\nname = '{name}'\nkind = 'collective'\ncollective = 'barrier'\nranks = 4\n{placement}\n"
                )
            };
            let [first, second] = placements;
            heard(&format!(
                "[routing]\nkind = 'd-mod-k'\n[placement]\nkind = 'random'\n[workload]\nkind = 'jobs'\n{}{}",
                job("a", first),
                job("b", second)
            ))
        };
        let own = "placement = { kind = 'linear' }";
        assert!(jobs([own, own]).contains("[placement] seats nobody"));
        assert_eq!(jobs([own, ""]), "");
    }
}
