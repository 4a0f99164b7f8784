//! The elements of a network picture: links by load, routers by group, names of groups.

use std::collections::BTreeMap;

use super::condense::busiest;
use super::links::{self, Course, Point};
use super::model::{Picture, PictureLink, PictureRouter};
use super::palette;
use super::svg::{label, px, tip};
use super::text::number;

/// Up to this many links, both directions are drawn side by side.
pub(super) const MOST_SIDE_BY_SIDE: usize = 400;
/// Beyond this many links or routers, elements are merged and have no tooltips.
const MOST_WITH_TIPS: usize = 1_500;
/// A link that comes closer to a router than this part of its dot goes around it.
pub(super) const CLEARANCE: f64 = 0.75;

/// The ends of the links of a picture as indices of its routers.
pub(super) fn link_ends(picture: &Picture) -> Vec<(usize, usize)> {
    picture
        .links
        .iter()
        .map(|l| (l.a as usize, l.b as usize))
        .collect()
}

/// A picture and where it is on paper.
pub(super) struct Drawing<'a> {
    pub(super) picture: &'a Picture,
    pub(super) places: &'a [Point],
    pub(super) radius: f64,
    pub(super) full_scale: f64,
    pub(super) centre: Point,
    pub(super) circular: bool,
}

/// One line to draw.
struct Stroke {
    share: f64,
    path: String,
    tip: String,
}

impl Drawing<'_> {
    fn share(&self, load: f64) -> f64 {
        if self.full_scale > 0.0 && load.is_finite() {
            (load / self.full_scale).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// Many links must be thin to be told apart; only the most loaded grow thick.
    fn thickness(&self, share: f64) -> f64 {
        // Curves through one centre cover each other sooner than lines side by side.
        let ink = if self.circular { 32.0 } else { 44.0 };
        let most = (ink / (self.picture.links.len() as f64).sqrt()).clamp(0.5, 4.2);
        most * (0.24 + 0.76 * share.powf(1.8))
    }

    /// How every link goes.
    pub(super) fn courses(&self) -> Vec<Course> {
        let group = |router: usize| self.picture.routers.get(router).and_then(|r| r.group);
        // Half way to the centre keeps neighbouring groups' links near the rim.
        let bundle = |a: usize, b: usize| {
            (self.circular && group(a) != group(b)).then(|| {
                let middle = (
                    (self.places[a].0 + self.places[b].0) / 2.0,
                    (self.places[a].1 + self.places[b].1) / 2.0,
                );
                (
                    middle.0 + 0.6 * (self.centre.0 - middle.0),
                    middle.1 + 0.6 * (self.centre.1 - middle.1),
                )
            })
        };
        let clearance = self.radius * CLEARANCE;
        links::courses(self.places, &link_ends(self.picture), clearance, bundle)
    }

    /// All links, the most loaded last.
    pub(super) fn links(&self) -> String {
        let links = &self.picture.links;
        let courses = self.courses();
        let mut strokes: Vec<Stroke> = links
            .iter()
            .zip(courses)
            .flat_map(|(link, course)| self.strokes(link, course))
            .collect();
        // Stable, so that equal loads keep the order of the links and the bytes stay the same.
        strokes.sort_by(|a, b| a.share.total_cmp(&b.share));
        if strokes.len() > 2 * MOST_WITH_TIPS {
            self.merged(&strokes)
        } else {
            self.separate(&strokes)
        }
    }

    fn strokes(&self, link: &PictureLink, course: Course) -> Vec<Stroke> {
        let (a, b) = (self.places[link.a as usize], self.places[link.b as usize]);
        let name = |i: u32| {
            self.picture
                .routers
                .get(i as usize)
                .map_or("", |r| r.label.as_str())
        };
        let [class_there, class_back] = &link.classes;
        let below = |class: &str| match class {
            "" => String::new(),
            class => format!("\n{class}"),
        };
        let unit = if self.picture.load_unit.is_empty() {
            String::new()
        } else {
            format!(" {}", self.picture.load_unit)
        };
        let says = |from: u32, to: u32, load: f64| {
            format!(
                "{} \u{2192} {}: {}{unit}",
                name(from),
                name(to),
                number(load)
            )
        };
        let (there, back) = (
            says(link.a, link.b, link.forward),
            says(link.b, link.a, link.backward),
        );
        if self.picture.links.len() > MOST_SIDE_BY_SIDE {
            return vec![Stroke {
                share: self.share(busiest(link)),
                path: links::path(a, b, course, 0.0),
                tip: match class_there == class_back {
                    true => format!("{there}\n{back}{}", below(class_there)),
                    false => format!("{there} ({class_there})\n{back} ({class_back})"),
                },
            }];
        }
        let one = |load: f64, side: f64, text: String, class: &str| {
            let share = self.share(load);
            let offset = side * (self.thickness(share) / 2.0 + 0.5);
            Stroke {
                share,
                path: links::path(a, b, course, offset),
                tip: format!("{text}{}", below(class)),
            }
        };
        if link.backward.is_finite() {
            vec![
                one(link.forward, 1.0, there, class_there),
                one(link.backward, -1.0, back, class_back),
            ]
        } else {
            vec![one(link.forward, 0.0, there, class_there)]
        }
    }

    fn separate(&self, strokes: &[Stroke]) -> String {
        let draw = |s: &Stroke| {
            format!(
                "<path class=\"link q{}\" stroke-width=\"{}\" d=\"{}\">{}</path>",
                palette::step(s.share),
                thin(self.thickness(s.share)),
                s.path,
                tip(&s.tip)
            )
        };
        strokes.iter().map(draw).collect()
    }

    /// One path per colour: a tenth of the bytes, and the browser stays quick.
    fn merged(&self, strokes: &[Stroke]) -> String {
        let same = |a: &Stroke, b: &Stroke| palette::step(a.share) == palette::step(b.share);
        let mut out = String::new();
        for run in strokes.chunk_by(same) {
            let step = palette::step(run[0].share);
            let share = (step as f64 + 0.5) / palette::RAMP as f64;
            let paths: String = run.iter().map(|s| s.path.as_str()).collect();
            let thickness = thin(self.thickness(share));
            out.push_str(&format!(
                "<path class=\"link q{step}\" stroke-width=\"{thickness}\" d=\"{paths}\"/>"
            ));
        }
        out
    }

    /// All routers.
    pub(super) fn routers(&self) -> String {
        let tint = |group: Option<u32>| group.map_or(0, |g| g % palette::TINTS);
        let routers = || self.picture.routers.iter().zip(self.places);
        if self.places.len() <= MOST_WITH_TIPS {
            let dot = |(router, place): (&PictureRouter, &Point)| {
                format!(
                    "<circle class=\"router t{}\" cx=\"{}\" cy=\"{}\" r=\"{}\">{}</circle>",
                    tint(router.group),
                    px(place.0),
                    px(place.1),
                    px(self.radius),
                    tip(&router.label)
                )
            };
            return routers().map(dot).collect();
        }
        let mut paths: BTreeMap<u32, String> = BTreeMap::new();
        for (router, place) in routers() {
            let path = paths.entry(tint(router.group)).or_default();
            path.push_str(&format!("M{} {}h0", px(place.0), px(place.1)));
        }
        let draw = |(tint, d): (&u32, &String)| {
            format!(
                "<path class=\"routers u{tint}\" stroke-width=\"{}\" d=\"{d}\"/>",
                px(2.0 * self.radius)
            )
        };
        paths.iter().map(draw).collect()
    }

    /// Numbers of the groups around a circular drawing.
    pub(super) fn group_names(&self) -> String {
        let mut groups: BTreeMap<u32, Vec<Point>> = BTreeMap::new();
        for (router, place) in self.picture.routers.iter().zip(self.places) {
            if let Some(group) = router.group {
                groups.entry(group).or_default().push(*place);
            }
        }
        if groups.len() > 48 {
            return String::new();
        }
        let away = |p: &Point| (p.0 - self.centre.0).hypot(p.1 - self.centre.1);
        let name = |(group, places): (&u32, &Vec<Point>)| {
            let n = places.len() as f64;
            let middle = (
                places.iter().map(|p| p.0).sum::<f64>() / n,
                places.iter().map(|p| p.1).sum::<f64>() / n,
            );
            let reach = away(&middle).max(1.0);
            let out = places.iter().map(away).fold(0.0, f64::max) + self.radius + 11.0;
            let at = |from: f64, to: f64| from + (to - from) * out / reach;
            label(
                at(self.centre.0, middle.0),
                at(self.centre.1, middle.1) + 4.0,
                "mid small muted",
                &group.to_string(),
            )
        };
        groups.iter().map(name).collect()
    }
}

/// A stroke width: hairlines differ by less than the tenth that places need.
fn thin(value: f64) -> String {
    format!("{}", (value * 20.0).round() / 20.0)
}
