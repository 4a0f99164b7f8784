//! `turnwise serve` over the network: who is refused, that nothing changes, and when it ends.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helpers are tests too

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const STUDY: &str = "[study]\nname = 'served'\n[network]\nkind = 'torus'\nsizes = [3, 3]\n\
    [routing]\nkind = 'dimension-order'\n[router]\nvirtual_channels = 4\n[traffic]\npattern = 'uniform'\nload = 0.1\n\
    [simulation]\nwarmup_cycles = 50\nmeasure_cycles = 100\n";

/// A study with results, and a server of its report that ends with the test.
struct Served {
    folder: tempfile::TempDir,
    server: Child,
    /// Such as `127.0.0.1:4711`.
    host: String,
    /// What the path begins and ends with.
    path: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn turnwise() -> Command {
    Command::new(env!("CARGO_BIN_EXE_turnwise"))
}

/// The address that a server prints.
fn link(server: &mut Child) -> String {
    let mut line = String::new();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let link = line.trim().strip_prefix("report: http://").expect(&line);
    link.to_owned()
}

fn served(arguments: &[&str]) -> Served {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("served.toml");
    fs::write(&study, STUDY).unwrap();
    let out = folder.path().join("out");
    let run = turnwise()
        .args(["run", "--no-report", "--output"])
        .args([&out, &study])
        .output()
        .unwrap();
    assert!(run.status.success());
    let mut server = turnwise()
        .args(["serve", "--results"])
        .args([&out, &study])
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let link = link(&mut server);
    let (host, path) = link.split_once('/').unwrap();
    Served {
        folder,
        server,
        host: host.to_owned(),
        path: format!("/{path}"),
    }
}

/// What a server answers to bytes; nothing if it hangs up or says nothing for a while.
fn answer(host: &str, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    let _ = stream.write_all(request);
    // Whoever says no more gets an answer or none, but keeps nobody waiting.
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn get(served: &Served, path: &str) -> String {
    let host = &served.host;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    answer(host, request.as_bytes())
}

/// Every file below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => {
                all.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    all
}

#[test]
fn the_report_is_served_with_its_state() {
    let served = served(&[]);
    let page = get(&served, "/");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("1 of 1 point"));
    assert!(page.contains("connect-src 'self'") && page.contains("X-Frame-Options: DENY"));
    let state = get(&served, "/state");
    assert!(state.contains("\"words\":\"1 of 1 point\""), "{state}");
}

/// A number that depends on all before it, the same in every run of the test.
fn draw(seed: &mut u64, below: usize) -> usize {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize % below
}

#[test]
fn two_hundred_hostile_requests_change_nothing() {
    let served = served(&[]);
    let before = files(served.folder.path());
    let host = served.host.clone();
    let methods = [
        "GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW", "\u{0}",
    ];
    let targets = [
        "/",
        "/state",
        "/../../etc/passwd",
        "/results/0.sqlite",
        "/%00",
        "/?set=1",
        "http://example.org/",
        "*",
        "",
    ];
    let hosts = [
        host.as_str(),
        "example.org",
        "127.0.0.1:1",
        "localhost.example.org",
        "[::1",
    ];
    let further = [
        "",
        "Origin: http://example.org\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Content-Length: 99999999999\r\n",
        "Content-Length: -1\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Host: example.org\r\n",
        "X: \u{1}\u{7f}\r\n",
        "Upgrade: websocket\r\nConnection: Upgrade\r\n",
        "no header\r\n",
    ];
    let mut seed = 1;
    for _ in 0..200 {
        let (method, target) = (methods[draw(&mut seed, 9)], targets[draw(&mut seed, 9)]);
        let (name, more) = (hosts[draw(&mut seed, 5)], further[draw(&mut seed, 10)]);
        let well_formed = method == "GET" && ["/", "/state"].contains(&target) && name == host;
        let foreign = ["Origin", "Sec-Fetch-Site", "Host"];
        let foreign = foreign.iter().any(|header| more.starts_with(header));
        let mut request = format!(
            "{method} {target} HTTP/1.1\r\nHost: {name}\r\n{more}Connection: close\r\n\r\nbody"
        )
        .into_bytes();
        if draw(&mut seed, 4) == 0 {
            let cut = draw(&mut seed, request.len());
            request.truncate(cut);
        }
        let answer = answer(&host, &request);
        let is_given = answer.starts_with("HTTP/1.1 200");
        let allowed = well_formed && !foreign;
        assert!(
            !is_given || allowed,
            "{:?}",
            String::from_utf8_lossy(&request)
        );
    }
    assert_eq!(files(served.folder.path()), before);
    assert!(
        get(&served, "/").starts_with("HTTP/1.1 200"),
        "and it still serves"
    );
}

#[test]
fn where_others_can_connect_there_is_a_token() {
    let served = served(&["--listen", "0.0.0.0:0", "--name", "localhost"]);
    assert!(served.host.starts_with("localhost:"));
    assert_eq!(served.path.len(), 34, "{}", served.path);
    assert!(get(&served, &served.path).starts_with("HTTP/1.1 200"));
    let wrong = format!("/{}/", "0".repeat(32));
    for path in ["/", "/state", wrong.as_str()] {
        assert!(get(&served, path).starts_with("HTTP/1.1 404"), "{path}");
    }
    let state = format!("{}state", served.path);
    assert!(get(&served, &state).starts_with("HTTP/1.1 200"));
}

/// Does anybody still listen there? Waits a while for the end.
fn ends(host: &str) -> bool {
    (0..400).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        TcpStream::connect(host).is_err()
    })
}

#[test]
fn it_ends_with_its_parent() {
    let served = served(&[]);
    let out = served.folder.path().join("out");
    let study = served.folder.path().join("served.toml");
    // The shell waits for a child of its own, and says where that listens.
    let script = "\"$0\" serve --results \"$1\" \"$2\" & wait";
    let mut parent = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_turnwise")])
        .args([&out, &study])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let link = link(&mut parent);
    let host = link.trim_end_matches('/');
    assert!(TcpStream::connect(host).is_ok());
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert!(ends(host));
}

#[test]
fn it_ends_when_it_is_interrupted() {
    let mut served = served(&[]);
    let killed = Command::new("kill")
        .args(["-INT", &served.server.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    assert_eq!(served.server.wait().unwrap().code(), Some(130));
}

#[test]
fn an_address_that_is_taken_is_an_error() {
    let served = served(&[]);
    let study = served.folder.path().join("served.toml");
    let second = turnwise()
        .args(["serve", "--listen", &served.host])
        .arg(study)
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(2));
    let words = String::from_utf8_lossy(&second.stderr);
    assert!(
        words.contains(&format!("cannot listen on {}", served.host)),
        "{words}"
    );
}
