//! Colours of both themes, and the markers that say the same without colour. Lines are solid:
//! dots mean saturation.
//!
//! The page defines the colours as CSS variables, so that inline figures follow the
//! reader's theme. A stand-alone figure has its variables replaced by the light colours,
//! because many SVG viewers and converters know no CSS variables.

/// (variable, light, dark).
const TOKENS: &[(&str, &str, &str)] = &[
    ("bg", "#f6f7f8", "#121518"),
    ("surface", "#ffffff", "#1a1e23"),
    ("sunken", "#f0f2f4", "#15181c"),
    ("line", "#dfe3e7", "#2e343b"),
    ("grid", "#e9ecef", "#2a3037"),
    ("ink", "#1b2026", "#e7eaed"),
    ("muted", "#5a6570", "#9ba6b1"),
    ("accent", "#0b62a3", "#6db6f0"),
    ("good", "#12703d", "#5cc98d"),
    ("good-bg", "#e9f6ee", "#16291f"),
    ("bad", "#b3261e", "#ff8a80"),
    ("bad-bg", "#fdeeec", "#331b1b"),
    ("warn", "#8a5a00", "#f0bd5a"),
    ("warn-bg", "#fdf4e1", "#2d2514"),
    ("code-key", "#0b62a3", "#7fbdf2"),
    ("code-string", "#12703d", "#86d0a5"),
    ("code-number", "#9a4a00", "#f0a86b"),
    ("code-comment", "#6b7580", "#87929d"),
    // Okabe and Ito's colours; the yellow is darkened and the black follows the theme,
    // so that every line keeps its contrast on both papers.
    ("s0", "#0072b2", "#4ba3e3"),
    ("s1", "#d55e00", "#f28444"),
    ("s2", "#009e73", "#2fc79b"),
    ("s3", "#c0639a", "#e39bc6"),
    ("s4", "#3a3f45", "#d5dade"),
    ("s5", "#d08f00", "#edb52f"),
    ("s6", "#3f9fd8", "#8fd0f7"),
    ("s7", "#857a00", "#d9ce45"),
    ("t0", "#51606f", "#a9b6c3"),
    ("t1", "#2f6690", "#79b4de"),
    ("t2", "#2f7d66", "#74c9ae"),
    ("t3", "#5d5a9c", "#aaa6ea"),
    ("t4", "#6d7f2f", "#bccb76"),
    ("t5", "#33808c", "#7ccbd8"),
];

/// Matplotlib's magma, sampled in tenths: perceptually uniform, readable in grey.
const MAGMA: [[f64; 3]; 11] = [
    [0.0, 0.0, 4.0],
    [20.0, 14.0, 54.0],
    [59.0, 15.0, 112.0],
    [100.0, 26.0, 128.0],
    [140.0, 41.0, 129.0],
    [183.0, 55.0, 121.0],
    [222.0, 73.0, 104.0],
    [247.0, 112.0, 92.0],
    [254.0, 159.0, 109.0],
    [254.0, 207.0, 146.0],
    [252.0, 253.0, 191.0],
];

/// Number of different series colours.
pub(super) const SERIES: usize = 8;
/// Number of router tints.
pub(super) const TINTS: u32 = 6;
/// Number of steps of the load ramp.
pub(super) const RAMP: usize = 16;

const FIGURE_CSS: &str = include_str!("figure.css");

fn magma(at: f64) -> String {
    let at = at.clamp(0.0, 1.0) * 10.0;
    let low = (at.floor() as usize).min(9);
    let part = at - low as f64;
    let mix = |i: usize| (MAGMA[low][i] + part * (MAGMA[low + 1][i] - MAGMA[low][i])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

/// Both ramps run away from the paper, so that a heavily loaded channel stands out most.
fn ramp(step: usize, dark: bool) -> String {
    let part = step as f64 / (RAMP - 1) as f64;
    if dark {
        magma(0.27 + 0.73 * part)
    } else {
        magma(0.91 - 0.79 * part)
    }
}

fn variables(dark: bool) -> Vec<(String, String)> {
    let fixed = TOKENS.iter().map(|(name, light, night)| {
        (
            (*name).to_owned(),
            (if dark { *night } else { *light }).to_owned(),
        )
    });
    fixed
        .chain((0..RAMP).map(|i| (format!("q{i}"), ramp(i, dark))))
        .collect()
}

/// The custom properties of one theme, as CSS declarations.
pub(super) fn declarations(dark: bool) -> String {
    variables(dark)
        .iter()
        .map(|(name, value)| format!("--{name}:{value};"))
        .collect()
}

/// The style of figures, written with CSS variables.
pub(super) fn figure_css() -> String {
    let mut css = FIGURE_CSS.to_owned();
    for i in 0..SERIES {
        css.push_str(&format!(
            ".fig .s{i}{{stroke:var(--s{i})}}.fig .f{i}{{fill:var(--s{i})}}\n"
        ));
    }
    for i in 0..RAMP {
        css.push_str(&format!(
            ".fig .q{i}{{stroke:var(--q{i})}}.fig .p{i}{{fill:var(--q{i})}}\n"
        ));
    }
    for i in 0..TINTS {
        css.push_str(&format!(
            ".fig .t{i}{{fill:var(--t{i})}}.fig .u{i}{{stroke:var(--t{i})}}\n"
        ));
    }
    css
}

/// The style of figures with the light colours written out.
pub(super) fn standalone_css() -> String {
    let mut css = figure_css();
    for (name, value) in variables(false) {
        css = css.replace(&format!("var(--{name})"), &value);
    }
    css
}

/// Outline of the marker of a curve around (x, y), as path data.
pub(super) fn marker(style: usize, x: f64, y: f64) -> String {
    let corners: &[(f64, f64)] = match (style + style / SERIES) % SERIES {
        0 => {
            return format!(
                "M{} {}a3.1 3.1 0 1 0 6.2 0a3.1 3.1 0 1 0 -6.2 0z",
                near(x - 3.1),
                near(y)
            );
        }
        1 => &[(-2.8, -2.8), (2.8, -2.8), (2.8, 2.8), (-2.8, 2.8)],
        2 => &[(0.0, -3.9), (3.5, 2.5), (-3.5, 2.5)],
        3 => &[(0.0, -4.0), (4.0, 0.0), (0.0, 4.0), (-4.0, 0.0)],
        4 => &[(0.0, 3.9), (3.5, -2.5), (-3.5, -2.5)],
        5 => &[
            (0.0, -3.7),
            (3.5, -1.1),
            (2.2, 3.0),
            (-2.2, 3.0),
            (-3.5, -1.1),
        ],
        6 => &[(-3.9, 0.0), (2.5, -3.5), (2.5, 3.5)],
        _ => &[(3.9, 0.0), (-2.5, -3.5), (-2.5, 3.5)],
    };
    let points: Vec<String> = corners
        .iter()
        .map(|(dx, dy)| format!("{} {}", near(x + dx), near(y + dy)))
        .collect();
    format!("M{}z", points.join("L"))
}

fn near(value: f64) -> String {
    super::svg::px(value)
}

/// Step of the load ramp for a share of the largest load.
pub(super) fn step(share: f64) -> usize {
    let share = if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        0.0
    };
    ((share * RAMP as f64) as usize).min(RAMP - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standalone_style_has_no_variables_left() {
        assert!(!standalone_css().contains("var("));
    }

    #[test]
    fn both_themes_define_the_same_names() {
        let names = |dark| variables(dark).into_iter().map(|v| v.0).collect::<Vec<_>>();
        assert_eq!(names(true), names(false));
    }

    #[test]
    fn the_ramp_covers_its_steps() {
        assert_eq!(step(0.0), 0);
        assert_eq!(step(1.0), RAMP - 1);
        assert_eq!(step(f64::NAN), 0);
        assert_eq!(magma(0.0), "#000004");
        assert_eq!(magma(1.0), "#fcfdbf");
    }

    #[test]
    fn sixty_four_curves_differ_in_marker_or_colour() {
        let mut seen = std::collections::BTreeSet::new();
        for style in 0..64 {
            assert!(seen.insert((style % SERIES, marker(style, 0.0, 0.0))));
        }
    }
}
