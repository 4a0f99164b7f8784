//! Training of language models: how much goes where, how long pipelines take, and that all of it comes to an end.

#![allow(clippy::unwrap_used)] // helpers are tests too

use turnwise_application::collectives::{Kind, Preset, Selection};
use turnwise_application::replay::{LogGops, replay};
use turnwise_application::training::{Experts, Gradients, Layout, Model, Training};
use turnwise_application::{Calling, Calls, Graph, RankSchedule, Work};

/// All is divisible by all.
fn small() -> Training {
    Training {
        model: Model {
            layers: 4,
            hidden: 64,
            sequence: 128,
            micro_batch: 1,
            number_bytes: 2,
            sequence_parallel: false,
            gradients: Gradients::Summed {
                bucket: 1 << 40,
                each: 2,
            },
            experts: None,
            operations: None,
        },
        layout: Layout {
            tensor: 1,
            pipeline: 1,
            data: 1,
        },
        micro_batches: 1,
        steps: 1,
    }
}

fn layout(tensor: u32, pipeline: u32, data: u32) -> Layout {
    Layout {
        tensor,
        pipeline,
        data,
    }
}

fn experts(parallel: u32, skew: f64) -> Option<Experts> {
    Some(Experts {
        count: 8,
        parallel,
        chosen: 2,
        skew,
    })
}

fn calls(training: &Training) -> Calls {
    training.check().unwrap();
    let selection = Selection::new(Preset::Nccl);
    let selection = selection.with(Kind::AllReduce, "ring").unwrap();
    Calls::new(Box::new(training.clone()), selection)
}

/// Bytes that a rank sends.
fn sent(schedule: &RankSchedule) -> u64 {
    let works = schedule.tasks().map(|task| task.work);
    works
        .map(|work| match work {
            Work::Send(message) => message.bytes,
            _ => 0,
        })
        .sum()
}

/// Bytes that every rank sends.
fn all_sent(training: &Training) -> Vec<u64> {
    let graph = Graph::of(&calls(training));
    graph.schedules().map(sent).collect()
}

const V: u64 = 64 * 128 * 2;
/// Parameters of a layer.
const P: u64 = 12 * 64 * 64;

#[test]
fn ranks_send_as_much_as_the_formulas_say() {
    let mut training = small();
    training.micro_batches = 3;
    let each = |training: &Training, bytes: u64| {
        let ranks = training.layout.ranks() as usize;
        assert_eq!(all_sent(training), vec![bytes; ranks], "{training:?}");
    };
    // Four sums of V in each layer, forward and backward together, around a ring.
    training.layout = layout(4, 1, 1);
    each(&training, 3 * 4 * 4 * (2 * 3 * V / 4));
    // The same by parts of the sum and back.
    training.model.sequence_parallel = true;
    each(&training, 3 * 4 * 4 * (2 * 3 * V / 4));
    training.model.sequence_parallel = false;
    // Gradients of two bytes, in one bucket or in many.
    training.layout = layout(1, 1, 4);
    each(&training, 2 * 3 * (4 * P * 2) / 4);
    training.model.gradients = Gradients::Summed {
        bucket: 1000,
        each: 4,
    };
    each(&training, 2 * 3 * (4 * P * 4) / 4);
    // Parameters are gathered twice for each micro-batch, and gradients summed up in parts once.
    training.model.gradients = Gradients::Sharded;
    each(&training, (3 * 2 + 1) * 3 * (4 * P * 2) / 4);
    // Stages pass on V for each micro-batch, the first and the last one way only.
    let mut training = small();
    training.micro_batches = 5;
    training.layout = layout(1, 4, 1);
    assert_eq!(all_sent(&training), [5 * V, 10 * V, 10 * V, 5 * V]);
    // Shared layers each share the rest of the work too.
    training.layout = layout(2, 2, 2);
    let tensor = 5 * 2 * 4 * V;
    let data = 2 * P * 2 / 2;
    each(&training, 5 * V + tensor + data);
}

#[test]
fn words_go_to_experts_and_back() {
    let mut training = small();
    training.layout = layout(1, 1, 4);
    training.model.gradients = Gradients::Summed {
        bucket: 1 << 40,
        each: 2,
    };
    training.model.experts = experts(4, 0.0);
    // In each layer four times two copies of V, of which a quarter stays; and gradients of what is not the experts'.
    let words = 4 * 4 * (2 * V) / 4 * 3;
    let gradients = 2 * 3 * (4 * 4 * 64 * 64 * 2) / 4;
    assert_eq!(all_sent(&training), vec![words + gradients; 4]);
    // Groups of two: experts are there twice, so that their gradients are summed up as well.
    training.model.experts = experts(2, 0.0);
    let words = 4 * 4 * (2 * V) / 2;
    let of_experts = 4 * 4 * 8 * 64 * 64 * 2;
    assert_eq!(all_sent(&training), vec![words + gradients + of_experts; 4]);
    // Whatever is more popular, words come back from where they went.
    training.model.experts = experts(4, 1.0);
    let skewed = all_sent(&training);
    let (least, most) = (*skewed.iter().min().unwrap(), *skewed.iter().max().unwrap());
    assert!(most > least, "{skewed:?}");
    // Weights 1, 1/2, 1/3 and 1/4 of two copies of V in each of four passes and layers; each keeps its own.
    let words = |training: &Training| {
        let pairs = |rank: &RankSchedule| {
            let from =
                |work: &Work| matches!(work, Work::Send(message) if message.context & 0xff == 3);
            let works = rank.tasks().map(|task| task.work).filter(from);
            works
                .filter_map(|work| work.message().map(|message| message.bytes))
                .sum::<u64>()
        };
        let graph = Graph::of(&calls(training));
        graph.schedules().map(pairs).sum::<u64>() as f64
    };
    let all = 4.0 * 4.0 * 4.0 * (2 * V) as f64 * 3.0 / 4.0;
    assert!((words(&training) / all - 1.0).abs() < 1e-3);
}

/// With messages that take no time a step of a pipeline of p stages takes as long as m + p - 1 micro-batches in one stage.
#[test]
fn pipelines_have_the_bubble_of_one_forward_one_backward() {
    let free = LogGops {
        latency: 0,
        overhead: 0,
        gap: 0,
        gap_per_byte: 0,
        overhead_per_byte: 0,
        eager: u64::MAX,
    };
    let time = |stages: u32, micro_batches: u32| {
        let mut training = small();
        training.model.layers = 2 * stages;
        training.model.operations = Some(100.0);
        training.micro_batches = micro_batches;
        training.layout = layout(1, stages, 1);
        replay(&calls(&training), &free).makespan()
    };
    let one = time(1, 1);
    // Three times 2 layers of 2 (12 h^2) b s + 4 b s^2 h operations, at a hundred in a picosecond.
    let operations = 2 * (2 * P * 128 + 4 * 128 * 128 * 64);
    assert!(one.abs_diff(3 * operations / 100) < 10, "{one}");
    for stages in 1..=6 {
        for micro_batches in 1..=9 {
            let whole = u64::from(micro_batches + stages - 1);
            assert_eq!(
                time(stages, micro_batches),
                whole * one,
                "{stages} stages, {micro_batches}"
            );
        }
    }
}

/// A rank whose experts are popular computes longer, and the others wait for it.
#[test]
fn popular_experts_hold_up_everybody() {
    let time = |skew| {
        let mut training = small();
        training.layout = layout(1, 1, 8);
        training.model.experts = experts(8, skew);
        training.model.operations = Some(0.01);
        replay(&calls(&training), &LogGops::default()).makespan()
    };
    let (equal, skewed) = (time(0.0), time(1.0));
    // The most popular of eight has 1 / (1 + 1/2 + ... + 1/8) of the words, which is 2.94 times its share.
    assert!(
        (1.5..2.94).contains(&(skewed as f64 / equal as f64)),
        "{skewed} {equal}"
    );
}

#[test]
fn training_ends_whatever_is_parallel_and_however_it_is_sent() {
    for (tensor, pipeline, data) in [
        (1, 1, 1),
        (2, 1, 2),
        (1, 4, 1),
        (2, 2, 4),
        (4, 2, 2),
        (3, 4, 2),
    ] {
        for sequence_parallel in [false, true] {
            for (gradients, skew) in [
                (Gradients::Sharded, None),
                (
                    Gradients::Summed {
                        bucket: 20_000,
                        each: 4,
                    },
                    Some(1.0),
                ),
            ] {
                let mut training = small();
                training.layout = layout(tensor, pipeline, data);
                training.micro_batches = 3;
                training.steps = 2;
                training.model.sequence_parallel = sequence_parallel;
                training.model.gradients = gradients;
                training.model.experts = skew.and_then(|skew| experts(data.min(2), skew));
                for library in [Preset::Nccl, Preset::Mpich, Preset::OpenMpi] {
                    let program = Calls::new(Box::new(training.clone()), Selection::new(library));
                    let graph = Graph::of(&program);
                    for eager in [0, 4096, u64::MAX] {
                        let parameters = LogGops {
                            eager,
                            ..LogGops::default()
                        };
                        let streamed = replay(&program, &parameters);
                        assert_eq!(streamed.stall, None, "{training:?}, eager {eager}");
                        let whole = replay(&graph, &parameters).makespan();
                        assert_eq!(streamed.makespan(), whole, "{training:?}, eager {eager}");
                    }
                }
            }
        }
    }
}

/// A rank tells no more at once than a micro-batch in its layers.
#[test]
fn a_long_training_takes_no_more_room_than_a_short_one() {
    let largest = |steps| {
        let mut training = small();
        training.layout = layout(2, 2, 2);
        training.micro_batches = 64;
        training.steps = steps;
        let mut most = 0;
        for rank in 0..training.layout.ranks() {
            use turnwise_application::Calling;
            let mut caller = training.caller(rank);
            for part in 0.. {
                let mut told = Vec::new();
                let is_last = caller.calls(part, &mut told);
                most = most.max(told.len());
                if is_last {
                    break;
                }
            }
        }
        most
    };
    assert!(largest(1) < 20);
    assert_eq!(largest(1), largest(5));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |change: &dyn Fn(&mut Training)| {
        let mut training = small();
        change(&mut training);
        training.check().unwrap_err().place.to_string()
    };
    assert_eq!(refused(&|it| it.layout = layout(1, 3, 1)), "pipeline");
    assert_eq!(refused(&|it| it.layout = layout(0, 1, 1)), "tensor");
    assert_eq!(refused(&|it| it.model.hidden = 0), "hidden");
    assert_eq!(refused(&|it| it.model.layers = 0), "layers");
    assert_eq!(refused(&|it| it.micro_batches = 0), "micro_batches");
    assert_eq!(refused(&|it| it.steps = 0), "steps");
    assert_eq!(refused(&|it| it.model.operations = Some(0.0)), "teraflops");
    assert_eq!(
        refused(&|it| it.model.experts = experts(4, 0.0)),
        "experts.parallel"
    );
    assert_eq!(
        refused(&|it| it.model.experts = experts(3, 0.0)),
        "experts.parallel"
    );
    assert_eq!(
        refused(&|it| it.model.experts = experts(1, f64::NAN)),
        "experts.skew"
    );
    let bucket = |it: &mut Training| it.model.gradients = Gradients::Summed { bucket: 1, each: 2 };
    assert_eq!(refused(&bucket), "bucket_bytes");
}

/// Those who share experts, and those who have the same ones, are groups of collectives too.
#[test]
fn collectives_of_all_groups_are_looked_at() {
    let mut training = small();
    training.layout = layout(3, 1, 10);
    training.model.experts = experts(2, 0.0);
    assert_eq!(training.group_sizes(), [2, 3, 5, 10]);
    training.model.experts = None;
    assert_eq!(training.group_sizes(), [3, 10]);
}
