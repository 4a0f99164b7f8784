//! Makes a large network small enough to draw, and says what was left out.

use std::collections::BTreeMap;

use super::model::{Picture, PictureLink, PictureRouter};
use super::text::count;

/// More links than this are neither legible nor quick to display.
pub(super) const MOST_LINKS: usize = 6_000;

/// A picture that can be drawn, and the sentence that says how it differs from the network.
pub(super) struct Drawable {
    pub(super) picture: Picture,
    pub(super) note: Option<String>,
    /// Routers stand for whole groups.
    pub(super) grouped: bool,
}

/// The load of a link in its busier direction; never negative, never NaN.
pub(super) fn busiest(link: &PictureLink) -> f64 {
    let known = |v: f64| if v.is_finite() { v.max(0.0) } else { 0.0 };
    known(link.forward).max(known(link.backward))
}

/// Drops links that name no router, draws groups instead of routers when there are too
/// many links, and the most loaded of the links when there are still too many.
pub(super) fn drawable(picture: &Picture) -> Drawable {
    let routers = picture.routers.len();
    let valid =
        |l: &&PictureLink| l.a != l.b && (l.a as usize) < routers && (l.b as usize) < routers;
    let links: Vec<PictureLink> = picture.links.iter().filter(valid).cloned().collect();
    let mut out = Drawable {
        picture: Picture {
            links,
            ..picture.clone()
        },
        note: None,
        grouped: false,
    };
    let all = out.picture.links.len();
    if all <= MOST_LINKS {
        return out;
    }
    let groups: std::collections::BTreeSet<u32> =
        picture.routers.iter().filter_map(|r| r.group).collect();
    if groups.len() > 1 && picture.routers.iter().all(|r| r.group.is_some()) {
        out.picture = by_group(&out.picture);
        out.grouped = true;
        out.note = Some(format!(
            "Drawn group by group: {} groups stand for {} routers, and each line for the most loaded of the links \
             between two groups ({} links in all).",
            count(groups.len() as u64),
            count(routers as u64),
            count(all as u64)
        ));
    }
    if out.picture.links.len() > MOST_LINKS {
        let drawn = sample(&mut out.picture.links);
        let sampled = format!(
            "Shows {} of {} links: the most loaded {} and an even sample of the others.",
            count(drawn as u64),
            count(all as u64),
            count((MOST_LINKS / 2) as u64)
        );
        out.note = Some(match out.note.take() {
            Some(note) => format!("{note} {sampled}"),
            None => sampled,
        });
    }
    out
}

/// Fills one half of the allowance with the most loaded links, the other evenly from the rest.
fn sample(links: &mut Vec<PictureLink>) -> usize {
    links.sort_by(|a, b| busiest(b).total_cmp(&busiest(a)));
    let rest = links.split_off((MOST_LINKS / 2).min(links.len()));
    let quota = (MOST_LINKS / 2).min(rest.len());
    links.extend((0..quota).filter_map(|i| rest.get(i * rest.len() / quota).cloned()));
    links.len()
}

fn by_group(picture: &Picture) -> Picture {
    let mut members: BTreeMap<u32, (f64, f64, u32)> = BTreeMap::new();
    for router in &picture.routers {
        let sum = members
            .entry(router.group.unwrap_or(0))
            .or_insert((0.0, 0.0, 0));
        sum.0 += router.x;
        sum.1 += router.y;
        sum.2 += 1;
    }
    let index: BTreeMap<u32, u32> = members
        .keys()
        .zip(0..)
        .map(|(group, i)| (*group, i))
        .collect();
    let routers = members.iter().map(|(group, (x, y, n))| PictureRouter {
        x: x / f64::from(*n),
        y: y / f64::from(*n),
        label: format!("group {group} ({n} routers)"),
        group: Some(*group),
    });
    let place = |router: u32| {
        let group = picture
            .routers
            .get(router as usize)
            .and_then(|r| r.group)
            .unwrap_or(0);
        index.get(&group).copied().unwrap_or(0)
    };
    let mut between: BTreeMap<(u32, u32), (f64, f64, u32)> = BTreeMap::new();
    for link in &picture.links {
        let (a, b) = (place(link.a), place(link.b));
        if a == b {
            continue;
        }
        let (forward, backward) = if a < b {
            (link.forward, link.backward)
        } else {
            (link.backward, link.forward)
        };
        let entry = between.entry((a.min(b), a.max(b))).or_insert((0.0, 0.0, 0));
        entry.0 = f64::max(entry.0, forward);
        entry.1 = f64::max(entry.1, backward);
        entry.2 += 1;
    }
    let links = between
        .iter()
        .map(|((a, b), (forward, backward, n))| PictureLink {
            a: *a,
            b: *b,
            forward: *forward,
            backward: *backward,
            classes: [(); 2].map(|()| format!("most loaded of {n} links")),
        });
    Picture {
        routers: routers.collect(),
        links: links.collect(),
        ..picture.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(routers: u32, groups: Option<u32>) -> Picture {
        let place = |i: u32| PictureRouter {
            group: groups.map(|g| i % g),
            ..PictureRouter::default()
        };
        let mut links = Vec::new();
        for a in 0..routers {
            for b in 0..a {
                links.push(PictureLink {
                    a,
                    b,
                    forward: f64::from(a),
                    ..PictureLink::default()
                });
            }
        }
        Picture {
            routers: (0..routers).map(place).collect(),
            links,
            ..Picture::default()
        }
    }

    #[test]
    fn many_links_are_sampled_and_said_to_be() {
        let out = drawable(&complete(200, None));
        assert!(out.picture.links.len() <= MOST_LINKS);
        assert!(out.note.is_some_and(|n| n.contains("of 19,900 links")));
        assert_eq!(
            out.picture.links.iter().map(busiest).fold(0.0, f64::max),
            199.0
        );
    }

    #[test]
    fn groups_stand_for_their_routers() {
        let out = drawable(&complete(200, Some(10)));
        assert_eq!(
            (out.picture.routers.len(), out.picture.links.len()),
            (10, 45)
        );
        assert!(out.grouped && out.note.is_some());
    }

    #[test]
    fn small_networks_stay_as_they_are_without_impossible_links() {
        let mut picture = complete(5, None);
        picture.links.push(PictureLink {
            a: 0,
            b: 77,
            ..PictureLink::default()
        });
        picture.links.push(PictureLink {
            a: 3,
            b: 3,
            ..PictureLink::default()
        });
        let out = drawable(&picture);
        assert_eq!(out.picture.links.len(), 10);
        assert_eq!(out.note, None);
    }
}
