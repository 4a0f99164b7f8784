//! The section on channels: how much each one carried, and where these are.

use super::detailed::{PointDetails, card, card_with};
use super::model::{Picture, Report};
use super::network_data;
use super::network_picture::{draw, largest_load};
use super::sorted::{Sorted, staircase};
use super::svg::Figure;
use super::text::{count, number};

/// The section; empty if no point has channels.
pub(super) fn section(report: &Report) -> String {
    let points: String = report
        .details
        .iter()
        .filter_map(|point| views(report, point))
        .collect();
    match points.is_empty() {
        true => points,
        false => {
            let scale = match report.details.len() {
                1 => "",
                _ => " Pictures of different points share one scale.",
            };
            format!(
                "<p class=\"note\">Flits that were put on each router-to-router channel in the measurement window, per cycle; \
                 1 is all it can carry.{scale}</p>\n{points}"
            )
        }
    }
}

fn views(report: &Report, point: &PointDetails) -> Option<String> {
    let curve = card(point, "", &figure(point, "")?);
    let picture = point.picture.as_ref().map(|picture| {
        let drawing = draw(picture, "", full_scale(report));
        let data = network_data::element(report, picture, full_scale(report));
        card_with(point, "wide", &drawing, &data)
    });
    let class = match &point.picture {
        Some(Picture { aspect, .. }) if *aspect >= 1.5 => "both flat",
        Some(_) => "both",
        None => "few",
    };
    let picture = picture.unwrap_or_default();
    Some(format!(
        "<div class=\"views {class} used\">\n{picture}{curve}</div>\n"
    ))
}

/// The load of the hottest colour, the same in all pictures.
pub(super) fn full_scale(report: &Report) -> f64 {
    let pictures = report.details.iter().filter_map(|p| p.picture.as_ref());
    pictures.map(largest_load).fold(0.0, f64::max)
}

/// The utilisations of a point's channels.
pub(super) fn figure(point: &PointDetails, about: &str) -> Option<Figure> {
    let mut figure = staircase(
        &Sorted {
            title: "Channel utilisation",
            about,
            unit: "flits/cycle",
            of: "channels",
        },
        &point.channels,
    )?;
    let idle = point.channels.iter().filter(|load| **load == 0.0).count();
    let most = point.channels.iter().copied().fold(0.0, f64::max);
    let idle = match idle {
        0 => "none unused".to_owned(),
        idle => format!("{} unused", count(idle as u64)),
    };
    figure.caption.push(format!(
        "{} channels, {idle}; the busiest carries {} flits per cycle.",
        count(point.channels.len() as u64),
        number(most)
    ));
    Some(figure)
}
