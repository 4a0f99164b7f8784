//! Listening, and one answer after the other.

use super::connection::{self, Answer};
use super::gate::{Asked, Gate, Wanted};
use super::pace::{Moment, rest};
use super::token::Token;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How long it waits for a request before it asks whether to go on.
const PATIENCE: Duration = Duration::from_millis(250);
/// Connections at a time; browsers open some that they do not use. More are closed at once.
const MOST_CONNECTIONS: usize = 64;

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

/// A request that waits for its answer.
struct Waiting {
    asked: Asked,
    answer: Sender<Answer>,
}

/// A server at one address.
pub struct Server {
    listener: TcpListener,
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
        let listener = TcpListener::bind(address)?;
        let bound = listener.local_addr()?;
        let token = match with_token || !bound.ip().is_loopback() {
            true => Some(Token::new()?),
            false => None,
        };
        Ok(Self {
            listener,
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
    /// If nobody listens any more. A reader that goes away is no error.
    pub fn run(&self, content: &mut dyn Content, go_on: &dyn Fn() -> bool) -> io::Result<()> {
        let listener = self.listener.try_clone()?;
        let (sender, requests) = channel();
        // Ends with the process: it waits for connections, and nobody can wake it.
        std::thread::spawn(move || listen(&listener, &sender));
        self.answer_all(&requests, content, go_on)
    }

    fn answer_all(
        &self,
        requests: &Receiver<Waiting>,
        content: &mut dyn Content,
        go_on: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        while go_on() {
            let waiting = match requests.recv_timeout(PATIENCE) {
                Ok(waiting) => waiting,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("nobody listens any more"));
                }
            };
            let wanted = self.gate.judge(&waiting.asked);
            let start = Moment::now();
            let answer = match wanted {
                Ok(Wanted::Page) => made("text/html; charset=utf-8", content.page()),
                Ok(Wanted::State) => {
                    let state = content.state().map(String::into_bytes);
                    made("application/json", state)
                }
                // Those who are refused are not told what there would have been.
                Err(refusal) => Answer::bare(refusal.status()),
            };
            // About a nanosecond for each byte to be sent.
            let sending = Duration::from_nanos(answer.body.len() as u64);
            let took = Moment::now().worked_since(&start) + sending;
            let _ = waiting.answer.send(answer);
            std::thread::sleep(rest(took));
        }
        Ok(())
    }
}

/// Takes connections until nobody waits for requests.
fn listen(listener: &TcpListener, requests: &Sender<Waiting>) {
    let open = Arc::new(());
    loop {
        let Ok((stream, _)) = listener.accept() else {
            // Out of files, perhaps: some will be closed.
            std::thread::sleep(PATIENCE);
            continue;
        };
        if Arc::strong_count(&open) > MOST_CONNECTIONS {
            continue;
        }
        let (requests, one) = (requests.clone(), Arc::clone(&open));
        std::thread::spawn(move || {
            serve(stream, &requests);
            drop(one);
        });
    }
}

/// One connection, from the request to the answer.
fn serve(mut stream: TcpStream, requests: &Sender<Waiting>) {
    let Some(asked) = connection::read(&mut stream) else {
        connection::write(&mut stream, &Answer::bare(400), false);
        return;
    };
    let (answer, answered) = channel();
    let with_body = asked.method != "HEAD";
    if requests.send(Waiting { asked, answer }).is_ok()
        && let Ok(answer) = answered.recv()
    {
        connection::write(&mut stream, &answer, with_body);
    }
}

/// What was made, or why nothing was.
fn made(kind: &'static str, content: Result<Vec<u8>, String>) -> Answer {
    match content {
        Ok(body) => Answer {
            status: 200,
            kind,
            body,
        },
        Err(why) => Answer {
            body: why.into_bytes(),
            ..Answer::bare(503)
        },
    }
}
