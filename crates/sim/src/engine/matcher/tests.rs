//! Matchings worked out by hand, and what holds for all of them.

use super::*;
use proptest::prelude::*;

struct Plain<'a> {
    grant: &'a mut [u32],
    accept: &'a mut [u32],
}

impl Pointers for Plain<'_> {
    fn grant(&self, output: u32) -> u32 {
        self.grant[output as usize]
    }

    fn accept(&self, input: u32) -> u32 {
        self.accept[input as usize]
    }

    fn advance(&mut self, input: u32, output: u32) {
        self.grant[output as usize] = after(input, self.inputs());
        self.accept[input as usize] = after(output, self.outputs());
    }

    fn inputs(&self) -> u32 {
        self.accept.len() as u32
    }

    fn outputs(&self) -> u32 {
        self.grant.len() as u32
    }
}

fn requests(pairs: &[(u32, u32)]) -> Vec<Request> {
    pairs
        .iter()
        .map(|&(input, output)| Request {
            input,
            output,
            lane: 0,
        })
        .collect()
}

fn run(
    allocator: Allocator,
    iterations: u32,
    requests: &[Request],
    grant: &mut [u32],
    accept: &mut [u32],
) -> Vec<u32> {
    let mut matches = Vec::new();
    let most = grant.len().max(accept.len());
    Matcher::new(most).run(
        allocator,
        iterations,
        requests,
        &mut Plain { grant, accept },
        &mut matches,
    );
    matches
}

#[test]
fn pointers_desynchronise_under_full_load() {
    let all: Vec<(u32, u32)> = (0..4)
        .flat_map(|input| (0..4).map(move |output| (input, output)))
        .collect();
    let (mut grant, mut accept) = ([0; 4], [0; 4]);
    let sizes: Vec<usize> = (0..8)
        .map(|_| {
            run(
                Allocator::Islip,
                1,
                &requests(&all),
                &mut grant,
                &mut accept,
            )
            .len()
        })
        .collect();
    assert_eq!(sizes, [1, 2, 3, 4, 4, 4, 4, 4]);
}

#[test]
fn a_second_iteration_fills_holes() {
    let wanted = requests(&[(0, 0), (0, 1), (1, 0)]);
    let one = run(Allocator::Islip, 1, &wanted, &mut [0; 2], &mut [0; 2]);
    assert_eq!(one, [0]);
    let wanted = requests(&[(0, 0), (0, 1), (1, 1), (1, 0)]);
    assert_eq!(
        run(Allocator::Islip, 2, &wanted, &mut [0; 2], &mut [0; 2]).len(),
        2
    );
}

/// What is matched when the same inputs ask for the same outputs again and again, all pointers at
/// the first ones to begin with; three inputs, two outputs.
fn rounds(allocator: Allocator, iterations: u32) -> Vec<Vec<(u32, u32)>> {
    let wanted = requests(&[(0, 0), (0, 1), (1, 0), (2, 1)]);
    let (mut grant, mut accept) = ([0; 2], [0; 3]);
    let mut round = || {
        let matches = run(allocator, iterations, &wanted, &mut grant, &mut accept);
        let pair = |&index: &u32| {
            let request = wanted[index as usize];
            (request.input, request.output)
        };
        let mut pairs: Vec<_> = matches.iter().map(pair).collect();
        pairs.sort_unstable();
        pairs
    };
    (0..3).map(|_| round()).collect()
}

/// Both outputs choose input 0, which takes output 0; only that one's pointer moves on. Then
/// output 0 chooses input 1 and output 1 once more input 0. Then they choose 0 and 2.
#[test]
fn outputs_choose_first_and_move_on_only_when_they_are_taken() {
    let expected = [vec![(0, 0)], vec![(0, 1), (1, 0)], vec![(0, 0), (2, 1)]];
    for iterations in [1, 4] {
        let matched = rounds(Allocator::SeparableOutputFirst, iterations);
        assert_eq!(matched, expected, "it makes one round");
    }
    assert_eq!(rounds(Allocator::Islip, 1), expected);
}

/// A second iteration gives output 1 to input 2, and moves no pointer: the next step is the same as
/// without it, and leaves nothing to add.
#[test]
fn further_iterations_move_no_pointers() {
    let expected = [
        vec![(0, 0), (2, 1)],
        vec![(0, 1), (1, 0)],
        vec![(0, 0), (2, 1)],
    ];
    assert_eq!(rounds(Allocator::Islip, 2), expected);
}

/// Inputs 0 and 1 choose output 0, which takes 0; 2 gets output 1. Now 0 is for output 1, where it is
/// before 2, and 1 gets its output. Then 0 and 1 choose output 0 again, where it is 0's turn.
#[test]
fn inputs_choose_first_and_move_on_only_when_they_are_taken() {
    let expected = [
        vec![(0, 0), (2, 1)],
        vec![(0, 1), (1, 0)],
        vec![(0, 0), (2, 1)],
    ];
    for iterations in [1, 4] {
        let matched = rounds(Allocator::SeparableInputFirst, iterations);
        assert_eq!(matched, expected, "it makes one round");
    }
}

const ALLOCATORS: [Allocator; 3] = [
    Allocator::Islip,
    Allocator::SeparableInputFirst,
    Allocator::SeparableOutputFirst,
];

proptest! {
    #[test]
    fn matches_are_conflict_free_and_never_empty(
        pairs in proptest::collection::btree_set((0u32..6, 0u32..6), 1..20),
        pointers in proptest::collection::vec(0u32..6, 12),
        iterations in 1u32..4,
        which in 0..ALLOCATORS.len(),
    ) {
        let wanted = requests(&pairs.into_iter().collect::<Vec<_>>());
        let allocator = ALLOCATORS[which];
        let (mut grant, mut accept) = (pointers[..6].to_vec(), pointers[6..].to_vec());
        let matches = run(allocator, iterations, &wanted, &mut grant, &mut accept);
        prop_assert!(!matches.is_empty());
        let mut inputs: Vec<u32> = matches.iter().map(|&index| wanted[index as usize].input).collect();
        let mut outputs: Vec<u32> = matches.iter().map(|&index| wanted[index as usize].output).collect();
        inputs.sort_unstable();
        outputs.sort_unstable();
        prop_assert!(inputs.windows(2).all(|pair| pair[0] != pair[1]));
        prop_assert!(outputs.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
