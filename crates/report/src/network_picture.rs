//! The network as a drawing, each link coloured and as wide as its load.

use super::condense::{Drawable, busiest, drawable};
use super::links::{self, Point};
use super::model::{Picture, PictureRouter};
use super::palette;
use super::strokes::{CLEARANCE, Drawing, MOST_SIDE_BY_SIDE, link_ends};
use super::svg::{Figure, heading, label, px};
use super::text::{count, number, shorten, width};

const WIDTH: f64 = 720.0;
const PAD: f64 = 34.0;
const LEGEND: f64 = 30.0;

/// Quadratic work on routers stays below this many.
const MOST_FOR_SPACING: usize = 3_000;

/// The largest load in a picture.
pub(super) fn largest_load(picture: &Picture) -> f64 {
    picture.links.iter().map(busiest).fold(0.0, f64::max)
}

/// Where a picture is on paper.
pub(super) struct Sheet {
    top: f64,
    tall: f64,
    /// The room that arcs take above and to the left of the routers.
    reach: f64,
    /// Where the legend begins.
    pub(super) bottom: f64,
    /// Names of groups stand above the routers.
    named: bool,
}

impl Sheet {
    /// The sheet of what is drawn of a picture, with a title above it or none.
    pub(super) fn new(drawable: &Drawable, title: &str) -> Self {
        let picture = &drawable.picture;
        let named = picture.bundled && !drawable.grouped;
        let top = match (title.is_empty(), named) {
            (true, false) => PAD * 0.6,
            (true, true) => PAD + 4.0,
            (false, _) => PAD + 18.0,
        };
        let aspect = match picture.aspect.is_finite() {
            true => picture.aspect.clamp(0.4, 4.0),
            false => 1.0,
        };
        let tall = (WIDTH - 2.0 * PAD) / aspect;
        let mut sheet = Self {
            top,
            tall,
            reach: 0.0,
            bottom: top + tall + if named { PAD } else { PAD * 0.8 },
            named,
        };
        if !picture.bundled {
            let loose = sheet.places(picture);
            let reach = links::reach(&loose, &link_ends(picture), dot_radius(&loose) * CLEARANCE);
            sheet.reach = (reach - PAD * 0.5).clamp(0.0, 0.2 * tall);
        }
        sheet
    }

    /// The place of every router.
    pub(super) fn places(&self, picture: &Picture) -> Vec<Point> {
        let unit = |v: f64| match v.is_finite() {
            true => v.clamp(0.0, 1.0),
            false => 0.5,
        };
        let at = |r: &PictureRouter| {
            let x = PAD + self.reach + (WIDTH - 2.0 * PAD - self.reach) * unit(r.x);
            let y = self.top + self.reach + (self.tall - self.reach) * unit(r.y);
            (x, y)
        };
        picture.routers.iter().map(at).collect()
    }

    pub(super) fn centre(&self) -> Point {
        (WIDTH / 2.0, self.top + self.tall / 2.0)
    }
}

/// Draws a picture; `full_scale` is the load of the hottest colour.
pub(super) fn draw(picture: &Picture, title: &str, full_scale: f64) -> Figure {
    let whole = picture;
    let drawable = drawable(picture);
    let picture = &drawable.picture;
    let sheet = Sheet::new(&drawable, title);
    let places = sheet.places(picture);
    let radius = match drawable.grouped {
        true => 9.0,
        false => dot_radius(&places),
    };

    let mut body = String::new();
    if !title.is_empty() {
        body.push_str(&heading(14.0, 22.0, WIDTH - 28.0, title, ""));
    }
    let centre = sheet.centre();
    let drawing = Drawing {
        picture,
        places: &places,
        radius,
        full_scale,
        centre,
        circular: picture.bundled,
    };
    // What a script may move and enlarge.
    body.push_str("<g class=\"map\">");
    body.push_str(&drawing.links());
    body.push_str(&drawing.routers());
    if sheet.named {
        body.push_str(&drawing.group_names());
    }
    body.push_str("</g>");
    if places.is_empty() {
        body.push_str(&label(WIDTH / 2.0, centre.1, "mid muted", "no routers"));
    }
    body.push_str(&legend(picture, full_scale, sheet.bottom));

    let mut caption = Vec::new();
    if !picture.caption.is_empty() {
        caption.push(picture.caption.clone());
    }
    if picture.links.len() <= MOST_SIDE_BY_SIDE {
        caption.push(
            "Both directions of a link are drawn side by side; traffic keeps to the right."
                .to_owned(),
        );
    } else if drawable.note.is_none() {
        caption.push(
            "A link shows its busier direction; the most loaded links are on top.".to_owned(),
        );
    }
    caption.extend(drawable.note);
    Figure {
        width: WIDTH,
        height: sheet.bottom + LEGEND,
        label: format!(
            "{title} network of {} routers and {} links coloured by {}, at most {}",
            count(whole.routers.len() as u64),
            count(whole.links.len() as u64),
            whole.load_name,
            number(largest_load(whole))
        )
        .trim()
        .to_owned(),
        class: "picture",
        caption,
        body,
    }
}

/// Dots as large as the closest two routers allow.
pub(super) fn dot_radius(places: &[Point]) -> f64 {
    if places.len() > MOST_FOR_SPACING {
        return 1.2;
    }
    let mut least = f64::INFINITY;
    for (i, a) in places.iter().enumerate() {
        for b in &places[..i] {
            least = least.min((a.0 - b.0).hypot(a.1 - b.1));
        }
    }
    (0.2 * least).clamp(1.2, 6.5)
}

/// The colours and what they mean.
fn legend(picture: &Picture, full_scale: f64, y: f64) -> String {
    const STEP: f64 = 11.0;
    let unit = if picture.load_unit.is_empty() {
        String::new()
    } else {
        format!(" [{}]", picture.load_unit)
    };
    let name = format!("{}{unit}", picture.load_name);
    let mut out = label(PAD, y + 12.0, "muted", "0");
    // Narrow screens show this text half as large again, so it gets the room for that.
    const TEXT: f64 = 17.0;
    let left = PAD + 18.0;
    for i in 0..palette::RAMP {
        let (x, tall) = (
            left + i as f64 * STEP,
            4.0 + 10.0 * i as f64 / palette::RAMP as f64,
        );
        out.push_str(&format!(
            "<rect class=\"p{i}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            px(x),
            px(y + 8.0 - tall / 2.0),
            px(STEP + 0.3),
            px(tall)
        ));
    }
    let most = number(full_scale);
    let right = left + palette::RAMP as f64 * STEP + 7.0;
    out.push_str(&label(right, y + 12.0, "muted", &most));
    let at = right + width(&most, TEXT) + 10.0;
    out.push_str(&label(
        at,
        y + 12.0,
        "",
        &shorten(&name, TEXT, WIDTH - PAD - at),
    ));
    out
}

#[cfg(test)]
mod tests {
    use super::super::layout::{LayoutHint, arrange};
    use super::super::model::PictureLink;
    use super::*;

    fn ring(routers: u32) -> Picture {
        let layout = arrange(&LayoutHint::Circle, routers as usize);
        let place = |(i, p): (usize, &(f64, f64))| PictureRouter {
            x: p.0,
            y: p.1,
            label: format!("r{i}"),
            group: None,
        };
        Picture {
            load_name: "load".to_owned(),
            routers: layout.positions.iter().enumerate().map(place).collect(),
            links: (0..routers)
                .map(|a| PictureLink {
                    a,
                    b: (a + 1) % routers,
                    forward: f64::from(a),
                    backward: 1.0,
                    ..PictureLink::default()
                })
                .collect(),
            ..Picture::default()
        }
    }

    #[test]
    fn small_networks_show_both_directions() {
        let svg = draw(&ring(8), "", 7.0).inline();
        assert_eq!(svg.matches("class=\"link").count(), 16);
        assert_eq!(svg.matches("<circle").count(), 8);
    }

    #[test]
    fn large_networks_have_one_path_per_colour() {
        let svg = draw(&ring(5_000), "", 5_000.0).inline();
        assert!(svg.matches("class=\"link").count() <= palette::RAMP);
        assert!(svg.matches("<circle").count() == 0);
    }

    #[test]
    fn hot_links_are_drawn_last() {
        let svg = draw(&ring(500), "", 499.0).inline();
        let first_hot = svg.find("link q15").unwrap_or(0);
        assert!(first_hot > svg.rfind("link q0\"").unwrap_or(usize::MAX));
    }

    /// What is drawn of a large network is less than what it has.
    #[test]
    fn a_condensed_picture_is_told_as_what_it_stands_for() {
        let router = |number: u32| PictureRouter {
            group: Some(number % 3),
            ..PictureRouter::default()
        };
        let link = |number: u32| PictureLink {
            a: number % 120,
            b: (number + 1 + number / 120) % 120,
            forward: 1.0,
            ..PictureLink::default()
        };
        let mut picture = Picture {
            routers: (0..120).map(router).collect(),
            links: (0..7_000).map(link).collect(),
            ..Picture::default()
        };
        // Inside a group, where no line is drawn.
        picture.links[0] = PictureLink {
            a: 0,
            b: 3,
            forward: 9.0,
            ..PictureLink::default()
        };
        let label = draw(&picture, "whole", 9.0).label;
        assert!(
            label.starts_with("whole network of 120 routers and 7,000 links"),
            "{label}"
        );
        assert!(label.ends_with("at most 9"), "{label}");
    }
}
