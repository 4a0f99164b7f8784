//! The pictures of networks as data: what a script needs to enlarge them and to tell about routers and channels.
//!
//! Pictures of one network differ in loads only, so what they share is written with the first of them.

use super::condense::drawable;
use super::data;
use super::links::Course;
use super::model::{Moments, Picture, PictureLink, PictureRouter, Report};
use super::network_picture::{Sheet, dot_radius};
use super::strokes::Drawing;

/// A page with more links than this in a picture is slow to open and large to keep.
const MOST_LINKS: usize = 60_000;

/// All pictures of a report, in the order of the page.
fn pictures(report: &Report) -> impl Iterator<Item = &Picture> {
    let used = report.details.iter().filter_map(|p| p.picture.as_ref());
    let routes = report.combinations.iter();
    used.chain(routes.filter_map(|c| c.picture.as_ref()))
}

/// Do pictures show the same network at the same places?
fn alike(one: &Picture, other: &Picture) -> bool {
    let ends = |link: &PictureLink| (link.a, link.b);
    one.bundled == other.bundled
        && one.routers == other.routers
        && one.links.len() == other.links.len()
        && one.links.iter().map(ends).eq(other.links.iter().map(ends))
        && one.aspect.to_bits() == other.aspect.to_bits()
}

/// The data of a picture of the report; nothing of one that is empty or too large.
pub(super) fn element(report: &Report, picture: &Picture, full_scale: f64) -> String {
    let links = &picture.links;
    let within =
        |link: &PictureLink| link.a != link.b && link.a.max(link.b) < picture.routers.len() as u32;
    if links.is_empty() || links.len() > MOST_LINKS || !links.iter().all(within) {
        return String::new();
    }
    let first = pictures(report).position(|other| alike(other, picture));
    let own = pictures(report).position(|other| std::ptr::eq(other, picture));
    let (Some(first), Some(own)) = (first, own) else {
        return String::new();
    };
    let mut out = String::new();
    if first == own {
        let id = format!("id=\"map-{first}\"");
        out.push_str(&data::element(&id, &geometry(picture)));
    }
    let loads = |of: fn(&PictureLink) -> f64| data::list(links.iter().map(|l| data::figure(of(l))));
    let json = format!(
        "{{\"map\":\"map-{first}\",\"name\":{},\"unit\":{},\"full\":{},\"forward\":{},\"backward\":{}{}}}",
        data::text(&picture.load_name),
        data::text(&picture.load_unit),
        data::figure(full_scale),
        loads(|link| link.forward),
        loads(|link| link.backward),
        picture.moments.as_ref().map_or(String::new(), course),
    );
    out.push_str(&data::element("class=\"loads\"", &json));
    out
}

/// Digits of loads over time: two for each, so that they are as exact as colours and as short as can be.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The loads of every moment, as shares of the largest.
fn course(moments: &Moments) -> String {
    let known = |load: f64| if load.is_finite() { load.max(0.0) } else { 0.0 };
    let both = |&(forward, backward): &(f64, f64)| [known(forward), known(backward)];
    let all = moments.loads.iter().flatten().flat_map(both);
    let full = all.fold(0.0, f64::max);
    let digits = |load: f64| {
        let share = if full > 0.0 { load / full } else { 0.0 };
        let level = (share * 4095.0).round() as usize;
        [level / 64, level % 64].map(|digit| char::from(DIGITS[digit]))
    };
    let moment = |loads: &Vec<(f64, f64)>| {
        let text: String = loads.iter().flat_map(both).flat_map(digits).collect();
        format!("\"{text}\"")
    };
    format!(
        ",\"course\":{{\"from\":{},\"cycles\":{},\"full\":{},\"moments\":{}}}",
        moments.from,
        moments.cycles,
        data::figure(full),
        data::list(moments.loads.iter().map(moment))
    )
}

/// Where routers and links are, and what they are called.
fn geometry(picture: &Picture) -> String {
    let drawable = drawable(picture);
    let sheet = Sheet::new(&drawable, "");
    let places = sheet.places(picture);
    let radius = dot_radius(&places);
    let drawing = Drawing {
        picture,
        places: &places,
        radius,
        full_scale: 0.0,
        centre: sheet.centre(),
        circular: picture.bundled,
    };
    let courses = drawing.courses();
    let bends = courses.iter().enumerate().filter_map(|(index, course)| {
        let Course::Arc(rise) = course else {
            return None;
        };
        Some(format!(
            "{index},{}",
            data::figure((rise * 10.0).round() / 10.0)
        ))
    });
    let routers = || picture.routers.iter();
    let tenths = |value: f64| (value * 10.0).round().to_string();
    // Two for each link.
    let both = picture.links.iter().flat_map(|link| &link.classes);
    let (classes, class) = data::texts(both.map(String::as_str));
    let group = |router: &PictureRouter| router.group.map_or("null".to_owned(), |g| g.to_string());
    format!(
        "{{\"bottom\":{},\"centre\":[{},{}],\"radius\":{},\"bundled\":{},\"condensed\":{},\"x\":{},\"y\":{},\"names\":{},\"groups\":{},\
         \"a\":{},\"b\":{},\"bends\":{},\"classes\":{classes},\"class\":{class}}}",
        data::figure(sheet.bottom),
        data::figure(sheet.centre().0),
        data::figure(sheet.centre().1),
        data::figure(radius),
        picture.bundled,
        drawable.note.is_some(),
        data::list(places.iter().map(|place| tenths(place.0))),
        data::list(places.iter().map(|place| tenths(place.1))),
        data::list(routers().map(|router| data::text(&router.label))),
        data::list(routers().map(group)),
        data::list(picture.links.iter().map(|link| link.a.to_string())),
        data::list(picture.links.iter().map(|link| link.b.to_string())),
        data::list(bends),
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::{combination, html};
    use super::*;

    #[test]
    fn a_network_is_written_once_and_its_loads_for_every_picture() {
        let loads = [1.0, 2.0, 3.0];
        let mut report = Report {
            combinations: vec![combination(4, &loads), combination(4, &[3.0, 2.0, 0.5])],
            ..Report::default()
        };
        let page = html(&report);
        assert_eq!(page.matches("id=\"map-").count(), 1);
        assert!(page.contains("\"map\":\"map-0\"") && page.contains("\"forward\":[3,2,0.5]"));
        report.combinations.push(combination(5, &loads));
        assert_eq!(html(&report).matches("id=\"map-").count(), 2);
    }

    #[test]
    fn loads_over_time_have_two_digits_each() {
        let moments = Moments {
            from: 500,
            cycles: 64,
            loads: vec![
                vec![(0.5, 0.25), (0.0, f64::NAN)],
                vec![(0.0, 0.0), (0.5, f64::NAN)],
            ],
        };
        assert_eq!(
            course(&moments),
            ",\"course\":{\"from\":500,\"cycles\":64,\"full\":0.5,\"moments\":[\"__gAAAAA\",\"AAAA__AA\"]}"
        );
        assert!(course(&Moments::default()).contains("\"full\":0,"));
    }

    #[test]
    fn links_to_nowhere_have_no_data() {
        let report = Report {
            combinations: vec![combination(3, &[5.0; 40])],
            ..Report::default()
        };
        assert!(!html(&report).contains("\"forward\""));
    }
}
