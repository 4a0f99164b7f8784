//! How a trace begins, and where the lines of each rank are.

use crate::formats::recorded::Section;
use crate::formats::words::{Words, lines, shown};
use crate::group::Group;
use rustc_hash::FxHashMap;
use turnwise_config::Flaw;
use turnwise_config::diagnostic::suggestion;

/// The first word of a trace.
pub(super) const MAGIC: &str = "turnwise-trace";
/// The version that is read and written.
pub(super) const VERSION: u64 = 1;
/// One more than the highest number of a group; contexts of collectives have the bit above.
pub(super) const GROUPS: u64 = 1 << 31;
/// What to do about a group elsewhere.
pub(super) const GROUPS_FIRST: &str = "groups stand before the first rank";
/// What times may count, in picoseconds.
pub(super) const UNITS: [(&str, u64); 4] = [
    ("ps", 1),
    ("ns", 1000),
    ("us", 1_000_000),
    ("s", 1_000_000_000_000),
];
/// No rank has fewer bytes than this in a text: `rank 0` and the end of its line.
const LEAST_OF_RANK: u64 = 7;

/// What a trace says of itself.
pub(super) struct Header {
    pub(super) ranks: u32,
    /// Picoseconds of what times count.
    pub(super) unit: u64,
    pub(super) content: Content,
    /// By number; all ranks are group 0.
    pub(super) groups: FxHashMap<u32, Group>,
}

/// What lines are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Calls,
    Tasks,
}

/// Reads the header, and finds the lines of each rank.
pub(super) fn read(text: &[u8]) -> Result<(Header, Vec<Vec<Section>>), Flaw> {
    let mut all = lines(text, 0..text.len());
    let mut next = || {
        let mut filled = all.find_map(|line| {
            let mut words = Words::new(text, line.clone());
            words.has_more().then_some((words, line))
        });
        filled.take().unwrap_or_else(|| {
            let end = text.len()..text.len();
            (Words::new(text, end.clone()), end)
        })
    };
    let mut line = |name: &str| {
        let (mut words, _) = next();
        words.expect(name)?;
        Ok::<_, Flaw>(words)
    };
    let mut words = line(MAGIC)?;
    let place = words.place();
    let version = words.number("the version of the format", 0..u64::MAX)?;
    if version != VERSION {
        let message =
            format!("this is version {version} of the format, and version {VERSION} is read here");
        return Err(Flaw::at(place, message));
    }
    words.expect_end()?;
    let mut words = line("ranks")?;
    let place = words.place();
    let ranks = words.number("a number of ranks", 1..u64::from(u32::MAX))?;
    if ranks > text.len() as u64 / LEAST_OF_RANK {
        let message = format!("{ranks} ranks do not fit into {} bytes", text.len());
        return Err(Flaw::at(place, message));
    }
    words.expect_end()?;
    let mut words = line("time")?;
    let names = UNITS.map(|(name, _)| name);
    let unit = UNITS[one_of(&mut words, &names)?].1;
    words.expect_end()?;
    let mut words = line("content")?;
    let content = [Content::Calls, Content::Tasks][one_of(&mut words, &["calls", "tasks"])?];
    words.expect_end()?;
    let ranks = ranks as u32;
    let mut header = Header {
        ranks,
        unit,
        content,
        groups: [(0, Group::world(ranks))].into_iter().collect(),
    };
    let (mut words, mut at) = next();
    while words.takes("group") {
        group(&mut words, &mut header)?;
        (words, at) = next();
    }
    let sections = sections(text, at.start, ranks)?;
    Ok((header, sections))
}

/// Which of several words is next.
fn one_of(words: &mut Words<'_>, known: &[&str]) -> Result<usize, Flaw> {
    let place = words.place();
    let names = || known.iter().copied();
    let Some(word) = words.word() else {
        let list: Vec<String> = names().map(|name| format!("`{name}`")).collect();
        return Err(words.expected(&list.join(" or ")));
    };
    known
        .iter()
        .position(|name| name.as_bytes() == word)
        .ok_or_else(|| {
            let help = suggestion(&shown(word), "there are", names(), names());
            Flaw::at(place, format!("there is no `{}` here", shown(word))).with_help(help)
        })
}

fn group(words: &mut Words<'_>, header: &mut Header) -> Result<(), Flaw> {
    let place = words.place();
    let number = words.number("the number of a group", 1..GROUPS)? as u32;
    if header.groups.contains_key(&number) {
        return Err(Flaw::at(place, format!("group {number} is there already")));
    }
    let mut members = Vec::new();
    loop {
        members.push(words.number("a rank", 0..header.ranks.into())? as u32);
        if !words.has_more() {
            break;
        }
    }
    let mut sorted = members.clone();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let message = format!("rank {} is twice in group {number}", pair[0]);
        return Err(Flaw::at(place, message));
    }
    header.groups.insert(number, Group::of(number, &members));
    Ok(())
}

/// The lines of each rank, from the first `rank` to `end`.
fn sections(text: &[u8], start: usize, ranks: u32) -> Result<Vec<Vec<Section>>, Flaw> {
    let mut sections: Vec<Vec<Section>> = vec![Vec::new(); ranks as usize];
    let mut open: Option<(u32, usize)> = None;
    let mut is_over = false;
    for line in lines(text, start..text.len()) {
        let mut words = Words::new(text, line.clone());
        if !words.has_more() {
            continue;
        }
        if is_over {
            return Err(words.expected("nothing after `end`"));
        }
        let is_rank = words.takes("rank");
        is_over = !is_rank && words.takes("end");
        if is_rank || is_over {
            if let Some((rank, start)) = open.take() {
                let range = start..line.start;
                sections[rank as usize].push(Section { file: 0, range });
            }
            if is_rank {
                let rank = words.number("a rank", 0..ranks.into())? as u32;
                open = Some((rank, line.end));
            }
            words.expect_end()?;
        } else if open.is_none() {
            return Err(words.expected("`group` or `rank`"));
        }
    }
    if !is_over {
        let message = "expected `end`, found the end of the file: something is missing";
        return Err(Flaw::at(text.len(), message));
    }
    match sections.iter().position(Vec::is_empty) {
        Some(rank) => {
            let message = format!("there is no `rank {rank}`, and there are {ranks} ranks");
            Err(Flaw::at(text.len(), message))
        }
        None => Ok(sections),
    }
}
