//! One request, as HTTP has it, and its answer.
//!
//! A connection has one request and is closed. No body is ever read, so nobody can make it large; headers are few and
//! short, and whoever is slow with them is not waited for.

use super::gate::Asked;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Bytes of a request up to the end of its headers, at most.
const MOST_BYTES: usize = 16 * 1024;
/// Headers of a request, at most.
const MOST_HEADERS: usize = 64;
/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long an answer may take to be taken.
const LONGEST_WRITE: Duration = Duration::from_secs(20);
/// How long to hear out those who go on talking: what they have not heard would be lost otherwise.
const FAREWELL: Duration = Duration::from_millis(300);

/// What every answer says: nothing is kept, framed, guessed at, or told to other sites.
const HEADERS: &str = "Cache-Control: no-store\r\nConnection: close\r\nCross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
    X-Frame-Options: DENY\r\n";

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) kind: &'static str,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// One without words.
    pub(crate) fn bare(status: u16) -> Self {
        Self {
            status,
            kind: "text/plain; charset=utf-8",
            body: Vec::new(),
        }
    }
}

/// Reads what is asked; `None` if that is not HTTP, too much or too slow.
pub(crate) fn read(stream: &mut TcpStream) -> Option<Asked> {
    let until = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    let mut part = [0; 2048];
    loop {
        let left = until.checked_duration_since(Instant::now())?;
        stream.set_read_timeout(Some(left)).ok()?;
        let count = stream.read(&mut part).ok().filter(|&count| count > 0)?;
        bytes.extend_from_slice(part.get(..count)?);
        if let Some(asked) = parse(&bytes).ok()? {
            return Some(asked);
        }
        if bytes.len() > MOST_BYTES {
            return None;
        }
    }
}

/// What is asked, if all of it has arrived.
fn parse(bytes: &[u8]) -> Result<Option<Asked>, httparse::Error> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    if request.parse(bytes)?.is_partial() {
        return Ok(None);
    }
    let header = |header: &httparse::Header<'_>| {
        let value = String::from_utf8_lossy(header.value);
        (header.name.to_owned(), value.into_owned())
    };
    Ok(Some(Asked {
        method: request.method.unwrap_or_default().to_owned(),
        target: request.path.unwrap_or_default().to_owned(),
        headers: request.headers.iter().map(header).collect(),
    }))
}

/// Says an answer and closes the connection. A reader that goes away misses it.
pub(crate) fn write(stream: &mut TcpStream, answer: &Answer, with_body: bool) {
    let reason = match answer.status {
        200 => "OK",
        503 => "Service Unavailable",
        _ => "Refused",
    };
    let head = format!(
        "HTTP/1.1 {} {reason}\r\n{HEADERS}Content-Type: {}\r\nContent-Length: {}\r\n\r\n",
        answer.status,
        answer.kind,
        answer.body.len()
    );
    let _ = stream.set_write_timeout(Some(LONGEST_WRITE));
    let said = stream.write_all(head.as_bytes());
    if with_body && said.is_ok() {
        let _ = stream.write_all(&answer.body);
    }
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(FAREWELL));
    let mut rest = [0; 2048];
    let until = Instant::now() + FAREWELL;
    while Instant::now() < until && stream.read(&mut rest).is_ok_and(|count| count > 0) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_when_they_are_whole() {
        let text = b"GET /state HTTP/1.1\r\nHost: a:1\r\nX: \xff\r\n\r\nbody";
        let asked = parse(text).unwrap().unwrap();
        assert_eq!(
            (asked.method.as_str(), asked.target.as_str()),
            ("GET", "/state")
        );
        assert_eq!(asked.headers[0], ("Host".to_owned(), "a:1".to_owned()));
        for end in 0..text.len() - 6 {
            assert_eq!(parse(&text[..end]).unwrap(), None, "{end}");
        }
    }

    #[test]
    fn what_is_not_http_is_not_read() {
        for text in [
            "\u{0}",
            "GET\r\n\r\n",
            "GET / HTTP/9.9\r\n\r\n",
            "GET / HTTP/1.1\r\nno header\r\n\r\n",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(65));
        assert!(parse(many.as_bytes()).is_err());
    }
}
