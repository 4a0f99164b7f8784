//! Listening and answering.

use super::gate::{Asked, Gate, Wanted};
use super::pace::rest;
use super::token::Token;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tiny_http::{Header, Request, Response};

/// How long it waits for a request before it asks whether to go on.
const PATIENCE: Duration = Duration::from_millis(250);

/// What every answer says: nothing is kept, framed, guessed at, or told to other sites.
const HEADERS: &[(&str, &str)] = &[
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
];

/// Makes what is shown.
pub trait Content {
    /// The page, as HTML.
    ///
    /// # Errors
    /// A sentence on why there is none now.
    fn page(&mut self) -> Result<Vec<u8>, String>;

    /// How far it is, as JSON.
    ///
    /// # Errors
    /// A sentence on why that is not known.
    fn state(&mut self) -> Result<String, String>;
}

/// A server at one address.
pub struct Server {
    server: tiny_http::Server,
    gate: Gate,
}

impl Server {
    /// Listens. A token is asked for if one is given, and always where others can connect.
    ///
    /// `name` is what others call this machine.
    ///
    /// # Errors
    /// If nobody can listen there.
    pub fn new(address: SocketAddr, name: Option<String>, with_token: bool) -> io::Result<Self> {
        let server = tiny_http::Server::http(address).map_err(io::Error::other)?;
        let bound = server.server_addr().to_ip().unwrap_or(address);
        let token = match with_token || !bound.ip().is_loopback() {
            true => Some(Token::new()?),
            false => None,
        };
        Ok(Self {
            server,
            gate: Gate::new(bound, name, token),
        })
    }

    /// Where those who may see the page find it.
    pub fn link(&self) -> String {
        self.gate.link()
    }

    /// Answers one request after the other as long as `go_on` says so; it is asked a few times a second.
    ///
    /// # Errors
    /// If listening fails. A reader that goes away is no error.
    pub fn run(&self, content: &mut dyn Content, go_on: &dyn Fn() -> bool) -> io::Result<()> {
        while go_on() {
            if let Some(request) = self.server.recv_timeout(PATIENCE)? {
                let answered = self.answer(request, content);
                std::thread::sleep(rest(answered.unwrap_or_default()));
            }
        }
        Ok(())
    }

    /// How long it took to say what there was to be said.
    fn answer(&self, request: Request, content: &mut dyn Content) -> io::Result<Duration> {
        let header = |header: &Header| (header.field.to_string(), header.value.to_string());
        let asked = Asked {
            method: request.method().to_string(),
            target: request.url().to_owned(),
            headers: request.headers().iter().map(header).collect(),
        };
        let (status, kind, body) = match self.gate.judge(&asked) {
            Ok(Wanted::Page) => made("text/html; charset=utf-8", content.page()),
            Ok(Wanted::State) => {
                let state = content.state().map(String::into_bytes);
                made("application/json", state)
            }
            // Those who are refused are not told what there would have been.
            Err(refusal) => (refusal.status(), "text/plain", Vec::new()),
        };
        let start = Instant::now();
        let mut response = Response::from_data(body).with_status_code(status);
        for (name, value) in HEADERS.iter().copied().chain([("Content-Type", kind)]) {
            if let Ok(header) = Header::from_bytes(name, value) {
                response.add_header(header);
            }
        }
        request.respond(response)?;
        Ok(start.elapsed())
    }
}

/// Status, type and body of what was made.
fn made(kind: &'static str, content: Result<Vec<u8>, String>) -> (u16, &'static str, Vec<u8>) {
    match content {
        Ok(body) => (200, kind, body),
        Err(why) => (503, "text/plain; charset=utf-8", why.into_bytes()),
    }
}
