//! A packet that sets out arrives: there is always something to do, and it leads on.

use super::subjects::Subject;

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    for built in subject.all() {
        let (network, graph) = (&built.network, &built.graph);
        let mut pending = vec![0_u32; graph.states.len()];
        for state in &graph.states {
            let (at, header) = (state.at, state.header);
            if state.options.is_empty() {
                return Err(format!("nothing to do at {at}, {header:?}"));
            }
            for (hop, next) in state.options.iter().zip(&state.next) {
                if hop.header.destination != header.destination {
                    return Err(format!("{hop:?} forgets where it goes at {at}, {header:?}"));
                }
                let channel = network.out_channel(at, hop.port);
                let leaves =
                    channel.is_some_and(|channel| channel.index() >= network.channel_count());
                if leaves && channel != Some(network.ejection_channel(header.destination)) {
                    return Err(format!("{hop:?} leaves at a wrong terminal, {header:?}"));
                }
                if let Some(next) = next {
                    pending[*next] += 1;
                }
            }
        }
        // Take away what nothing leads to until nothing is left, or a circle.
        let mut todo: Vec<usize> = (0..pending.len()).filter(|&at| pending[at] == 0).collect();
        let mut done = 0;
        while let Some(state) = todo.pop() {
            done += 1;
            for &next in graph.states[state].next.iter().flatten() {
                pending[next] -= 1;
                if pending[next] == 0 {
                    todo.push(next);
                }
            }
        }
        if done < pending.len() {
            return Err("a packet may go round for ever".to_owned());
        }
    }
    Ok(())
}
