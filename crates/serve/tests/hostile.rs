//! Requests of all kinds: who is refused, and that nobody gets more than two things.

use proptest::prelude::*;
use turnwise_serve::{Asked, Gate, Refusal, Token, Wanted};

const PORT: u16 = 4_711;

fn gate(token: Option<Token>) -> Gate {
    let address = ([127, 0, 0, 1], PORT).into();
    Gate::new(address, Some("node1".to_owned()), token)
}

fn asked(method: &str, target: &str, headers: &[(&str, &str)]) -> Asked {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Asked {
        method: method.to_owned(),
        target: target.to_owned(),
        headers: headers.iter().map(owned).collect(),
    }
}

const HOST: (&str, &str) = ("Host", "127.0.0.1:4711");

#[test]
fn the_machine_itself_reads() {
    let gate = gate(None);
    assert_eq!(gate.link(), "http://127.0.0.1:4711/");
    for host in ["127.0.0.1:4711", "localhost:4711", "[::1]:4711"] {
        let of = |target| gate.judge(&asked("GET", target, &[("host", host)]));
        assert_eq!(of("/"), Ok(Wanted::Page));
        assert_eq!(of("/state"), Ok(Wanted::State));
    }
    assert_eq!(gate.judge(&asked("HEAD", "/", &[HOST])), Ok(Wanted::Page));
}

/// Who asks at port 80 does not say so.
#[test]
fn port_80_goes_without_saying() {
    let address = ([127, 0, 0, 1], 80).into();
    let gate = Gate::new(address, Some("node1".to_owned()), None);
    for host in [
        "127.0.0.1",
        "127.0.0.1:80",
        "localhost",
        "[::1]",
        "[::1]:80",
    ] {
        let page = gate.judge(&asked("GET", "/", &[("Host", host)]));
        assert_eq!(page, Ok(Wanted::Page), "{host}");
    }
    for host in ["127.0.0.1:4711", "example.org", "::1", "10.0.0.7", ""] {
        let refused = gate.judge(&asked("GET", "/", &[("Host", host)]));
        assert_eq!(refused, Err(Refusal::ForeignHost), "{host}");
    }
}

#[test]
fn foreign_names_are_refused() {
    let gate = gate(None);
    for host in [
        "example.org:4711",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1.example.org:4711",
        "10.0.0.7:4711",
        "node1:4711",
        "localhost.example.org:4711",
        "",
        ":4711",
        "[127.0.0.1]:4711",
    ] {
        let refused = gate.judge(&asked("GET", "/", &[("Host", host)]));
        assert_eq!(refused, Err(Refusal::ForeignHost), "{host}");
    }
    let none = gate.judge(&asked("GET", "/", &[]));
    assert_eq!(none, Err(Refusal::ForeignHost));
    let two = gate.judge(&asked("GET", "/", &[HOST, HOST]));
    assert_eq!(two, Err(Refusal::Unclear));
}

#[test]
fn pages_of_other_sites_are_refused() {
    let gate = gate(None);
    let with = |name, value| gate.judge(&asked("GET", "/", &[HOST, (name, value)]));
    for site in ["cross-site", "same-site", "nonsense"] {
        assert_eq!(
            with("Sec-Fetch-Site", site),
            Err(Refusal::CrossSite),
            "{site}"
        );
    }
    for origin in [
        "http://example.org",
        "null",
        "http://127.0.0.1:80",
        "https://127.0.0.1:4711",
    ] {
        assert_eq!(with("Origin", origin), Err(Refusal::CrossSite), "{origin}");
    }
    for (name, value) in [
        ("Sec-Fetch-Site", "same-origin"),
        ("Sec-Fetch-Site", "none"),
        ("Origin", "http://127.0.0.1:4711"),
    ] {
        assert_eq!(with(name, value), Ok(Wanted::Page), "{name}: {value}");
    }
}

#[test]
fn nothing_but_reading_is_understood() {
    let gate = gate(None);
    for method in [
        "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get",
    ] {
        let refused = gate.judge(&asked(method, "/", &[HOST]));
        assert_eq!(refused, Err(Refusal::NotReading), "{method}");
    }
    for target in [
        "/x",
        "//",
        "/state/",
        "/../state",
        "/?x",
        "/%2e%2e/etc/passwd",
    ] {
        let refused = gate.judge(&asked("GET", target, &[HOST]));
        assert_eq!(refused, Err(Refusal::Nothing), "{target}");
    }
    for target in ["", "http://127.0.0.1:4711/", "*"] {
        let refused = gate.judge(&asked("GET", target, &[HOST]));
        assert_eq!(refused, Err(Refusal::Unclear), "{target}");
    }
}

#[test]
fn without_the_token_there_is_nothing() {
    let token = Token::new().unwrap();
    let text = token.text().to_owned();
    let gate = gate(Some(token));
    let of = |target: &str| gate.judge(&asked("GET", target, &[("Host", "node1:4711")]));
    assert_eq!(of(&format!("/{text}/")), Ok(Wanted::Page));
    assert_eq!(of(&format!("/{text}/state")), Ok(Wanted::State));
    let wrong = Token::new().unwrap();
    for target in [
        "/".to_owned(),
        "/state".to_owned(),
        format!("/{text}"),
        format!("/{}/", wrong.text()),
        format!("/{}/", &text[1..]),
        format!("//{text}/"),
        format!("/?token={text}"),
    ] {
        assert_eq!(of(&target), Err(Refusal::Nothing), "{target}");
    }
    let foreign = asked("GET", &format!("/{text}/"), &[("Host", "example.org:4711")]);
    assert_eq!(gate.judge(&foreign), Err(Refusal::ForeignHost));
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("GET".to_owned()),
        Just("/".to_owned()),
        Just("/state".to_owned()),
        Just("127.0.0.1:4711".to_owned()),
        Just("cross-site".to_owned()),
        ".{0,40}",
    ]
}

proptest! {
    /// Whatever is asked: what is given was asked for in one of the two ways that there are, under an own name.
    #[test]
    fn only_two_requests_get_anything(
        method in any_text(),
        target in any_text(),
        host in any_text(),
        others in prop::collection::vec((prop_oneof![Just("Host"), Just("Origin"), Just("Sec-Fetch-Site"), Just("X")], any_text()), 0..4),
    ) {
        let mut headers = vec![("Host", host.as_str())];
        headers.extend(others.iter().map(|(name, value)| (*name, value.as_str())));
        let asked = asked(&method, &target, &headers);
        if let Ok(wanted) = gate(None).judge(&asked) {
            prop_assert!(method == "GET" || method == "HEAD");
            prop_assert_eq!(target, match wanted { Wanted::Page => "/", Wanted::State => "/state" });
            prop_assert_eq!(host.trim(), "127.0.0.1:4711");
            prop_assert!(others.iter().all(|(name, _)| *name == "X" || *name == "Origin"));
        }
        let token = Token::new().unwrap();
        prop_assert!(gate(Some(token)).judge(&asked).is_err(), "nobody guesses a token");
    }
}
