//! Files that people have of programs and that are not read here, known by what they begin like: what to do with them instead.

use super::first_word;
use turnwise_config::Flaw;

struct Foreign {
    is_it: fn(&[u8]) -> bool,
    what: &'static str,
    help: &'static str,
}

const FOREIGN: &[Foreign] = &[
    Foreign {
        is_it: |bytes| bytes.starts_with(b"\xff\xaa\xddDUMPI"),
        what: "this is what one rank of a trace of DUMPI did",
        help: "name the .meta file beside it, which says how many there are",
    },
    Foreign {
        is_it: |bytes| bytes.starts_with(b"\x03BOTF2"),
        what: "this is an archive of OTF2, which only its own library reads",
        help: "tools/otf2_to_turnwise.py makes a trace of it",
    },
    Foreign {
        is_it: |bytes| first_word(bytes).is_some_and(|word| word.starts_with(b"MPI_Init")),
        what: "this is a trace of liballprof, which is not read",
        help: "Schedgen makes a GOAL schedule of it, which is",
    },
    Foreign {
        is_it: |bytes| bytes.starts_with(b"#Paraver") || bytes.starts_with(b"#DIMEMAS"),
        what: "this is a trace of Paraver or Dimemas, which is not read",
        help: "docs/trace-format.md has a format that a short script can write",
    },
];

/// What is wrong with a file that has none of the formats here, if it is known.
pub(super) fn foreign(bytes: &[u8]) -> Option<Flaw> {
    let found = FOREIGN.iter().find(|foreign| (foreign.is_it)(bytes))?;
    Some(Flaw::general(found.what).with_help(found.help))
}
