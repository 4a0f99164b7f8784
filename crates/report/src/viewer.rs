//! The script of the page: it explores what the page has, and loads nothing.
//!
//! Plain JavaScript in small files, one for each thing that can be done. A file makes constants and functions that
//! those after it use; together they are one script, in a scope of its own.

/// The style of what the script adds.
pub(super) const STYLE: &str = include_str!("viewer/viewer.css");

/// The files, those that others need first.
const FILES: &[&str] = &[
    include_str!("viewer/page.js"),
    include_str!("viewer/save.js"),
    include_str!("viewer/figures.js"),
    include_str!("viewer/points.js"),
    include_str!("viewer/scale.js"),
    include_str!("viewer/chart.js"),
    include_str!("viewer/zoom.js"),
    include_str!("viewer/filters.js"),
    include_str!("viewer/table.js"),
    include_str!("viewer/compare.js"),
    include_str!("viewer/explorer.js"),
    include_str!("viewer/links.js"),
    include_str!("viewer/network.js"),
    include_str!("viewer/router.js"),
    include_str!("viewer/course.js"),
    include_str!("viewer/maps.js"),
    include_str!("viewer/live.js"),
];

/// The whole script.
pub(super) fn script() -> String {
    format!("(() => {{\n'use strict';\n{}}})();\n", FILES.concat())
}
