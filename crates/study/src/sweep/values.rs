//! What one key of a sweep runs through: a list, or a range.

use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::{Kind, Value};

use super::range;

/// The values that are written as `value`, at least one.
pub(super) fn read(value: &Value, errors: &mut Vec<Diagnostic>) -> Option<Vec<Value>> {
    match &value.kind {
        Kind::Array(values) if values.is_empty() => {
            let error = Diagnostic::at(value.span, "a sweep over no values has no points");
            errors.push(error.with_help("remove the key to leave the field as it is"));
            None
        }
        Kind::Array(values) => {
            let before = errors.len();
            values.iter().for_each(|value| refuse_nan(value, errors));
            (errors.len() == before).then(|| values.clone())
        }
        Kind::Table(_) => range::read(value, errors),
        _ => {
            let message = format!(
                "expected an array of values or a range, found {}",
                value.describe()
            );
            let help = "write [0.1, 0.2] or { from = 0.1, to = 0.5, step = 0.1 }";
            errors.push(Diagnostic::at(value.span, message).with_help(help));
            None
        }
    }
}

fn refuse_nan(value: &Value, errors: &mut Vec<Diagnostic>) {
    match &value.kind {
        Kind::Float(number) if !number.is_finite() => {
            let message = format!("expected a finite number, found {}", value.describe());
            errors.push(Diagnostic::at(value.span, message));
        }
        Kind::Array(values) => values.iter().for_each(|value| refuse_nan(value, errors)),
        Kind::Table(table) => table
            .iter()
            .for_each(|(_, value)| refuse_nan(value, errors)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use proptest::prelude::*;

    fn outcome(text: &str) -> Result<String, Vec<String>> {
        let study = format!("x = {text}");
        let (source, parsed) = Source::parse("s", study.as_bytes(), &[]);
        let mut errors = Vec::new();
        let values = read(parsed.unwrap().at_path("x").unwrap(), &mut errors);
        let texts =
            |values: Vec<Value>| -> Vec<String> { values.iter().map(Value::canonical).collect() };
        values.map(|values| texts(values).join(" ")).ok_or_else(|| {
            errors
                .iter()
                .map(|error| source.render_plain(error))
                .collect()
        })
    }

    fn values(text: &str) -> String {
        outcome(text).unwrap()
    }

    fn error(text: &str) -> String {
        outcome(text).unwrap_err().join("; ")
    }

    #[test]
    fn steps_print_as_they_were_meant() {
        let text = values("{ from = 0.02, to = 0.60, step = 0.02 }");
        assert!(
            text.starts_with("0.02 0.04 0.06 0.08 0.1 0.12 0.14 "),
            "{text}"
        );
        assert!(text.ends_with(" 0.56 0.58 0.6"), "{text}");
        assert_eq!(text.split(' ').count(), 30);
        assert_eq!(
            values("{ from = 0.3, to = -0.3, step = -0.3 }"),
            "0.3 0.0 -0.3"
        );
        assert_eq!(
            values("{ from = 1e-7, to = 3e-7, step = 1e-7 }"),
            "1e-7 2e-7 3e-7"
        );
    }

    #[test]
    fn no_step_goes_beyond_the_end() {
        assert_eq!(values("{ from = 0, to = 1, step = 0.4 }"), "0.0 0.4 0.8");
        assert_eq!(values("{ from = 1, to = 8, step = 3 }"), "1 4 7");
        assert_eq!(values("{ from = 0.5, to = 0.5, step = 0.1 }"), "0.5");
    }

    #[test]
    fn whole_numbers_stay_whole() {
        assert_eq!(values("{ from = 8, to = 2, step = -2 }"), "8 6 4 2");
        assert_eq!(values("{ from = 1, to = 9, count = 3 }"), "1 5 9");
        assert_eq!(values("{ from = 1, to = 4, count = 3 }"), "1.0 2.5 4.0");
        assert_eq!(values("{ from = 1.0, to = 3, step = 1 }"), "1.0 2.0 3.0");
        assert_eq!(values("{ from = 1, to = 3.5, step = 1 }"), "1.0 2.0 3.0");
        assert_eq!(values("{ from = 4, to = 4, count = 1 }"), "4");
        assert_eq!(values("{ from = 0, to = 1e-9, count = 2 }"), "0.0 1e-9");
        assert_eq!(
            values("{ from = 1e15, to = 3e15, count = 2 }"),
            "1000000000000000.0 3000000000000000.0"
        );
        let largest = "9223372036854775807";
        let text = format!("{{ from = 1, to = {largest}, step = {largest} }}");
        assert_eq!(values(&text), "1");
    }

    #[test]
    fn counts_reach_both_ends() {
        assert_eq!(
            values("{ from = 0.1, to = 0.2, count = 4 }"),
            "0.1 0.133333333333 0.166666666667 0.2"
        );
        assert_eq!(values("{ from = 0.1, to = 0.1, count = 1 }"), "0.1");
    }

    #[test]
    fn lists_are_taken_as_they_are() {
        assert_eq!(
            values("[1, 0.5, 'x', [2], { a = 1 }]"),
            r#"1 0.5 "x" [2] {"a"=1}"#
        );
    }

    #[test]
    fn ranges_that_make_no_sense_are_placed() {
        let cases = [
            (
                "[]",
                "s:1:5: a sweep over no values has no points (help: remove the key to leave the field as it is)",
            ),
            (
                "[1, nan, [inf]]",
                "s:1:9: expected a finite number, found the number NaN; s:1:15: expected a finite number, found the number inf",
            ),
            (
                "0.3",
                "s:1:5: expected an array of values or a range, found the number 0.3 (help: write [0.1, 0.2] or { from = 0.1, to = 0.5, step = 0.1 })",
            ),
            (
                "{ from = 0, to = 1, step = 0.0 }",
                "s:1:32: a step of 0 leads nowhere",
            ),
            (
                "{ from = 0, to = 1, step = -1 }",
                "s:1:32: the step leads away from `to` (help: change its sign, or exchange `from` and `to`)",
            ),
            (
                "{ from = 0, to = 1, step = 1, count = 2 }",
                "s:1:43: `step` and `count` exclude each other (help: remove one of them)",
            ),
            (
                "{ from = 0, to = 1 }",
                "s:1:5: the range has neither `step` nor `count` (help: add one of them: { from = 0, to = 1, count = 5 })",
            ),
            (
                "{ from = 0, to = nan, step = 1 }",
                "s:1:22: expected a finite number, found the number NaN",
            ),
            (
                "{ from = 0, to = 1, step = 1e-300 }",
                "s:1:5: the range has more than 1000000 values",
            ),
            (
                "{ from = -1.7e308, to = 1.7e308, count = 3 }",
                "s:1:5: the range is too wide",
            ),
            (
                "{ from = 0, to = 1, count = 2000000 }",
                "s:1:5: the range has more than 1000000 values",
            ),
            (
                "{ from = 0, to = 1, count = 1 }",
                "s:1:33: the range needs a value for each end",
            ),
            ("{ from = 0, step = 1 }", "s:1:5: missing key `to`"),
        ];
        for (text, expected) in cases {
            assert_eq!(error(text), expected, "{text}");
        }
        let typo = error("{ from = 'a', to = 1, stop = 3 }");
        assert!(typo.starts_with("s:1:14: expected a number, found the string \"a\"; s:1:27: unknown key `stop` (help: did you mean `step`?"), "{typo}");
    }

    proptest! {
        #[test]
        fn decimal_ranges_are_decimal(from in -500i64..500, step in 1i64..50, extra in 0i64..400) {
            // Hundredths, written as decimals, against exact integer arithmetic.
            let decimal = |hundredths: i64| hundredths as f64 / 100.0;
            let to = from + extra;
            let text = values(&format!(
                "{{ from = {:?}, to = {:?}, step = {:?} }}", decimal(from), decimal(to), decimal(step)
            ));
            let expected: Vec<String> = (0..=extra / step)
                .map(|index| format!("{:?}", decimal(from + index * step)))
                .collect();
            prop_assert_eq!(text, expected.join(" "));
        }
    }
}
