//! Shows a page that changes to those who may see it, and does nothing else.
//!
//! There are two things to ask for, the page and how far it is, and no way to change anything: requests have no body
//! that is read, no parameters, and no names of files. On the own machine nobody else can connect; on any other
//! address the path begins with a token. Whoever asks under a foreign name, or from a page of another site, is refused.
//!
//! | file | what it decides |
//! |---|---|
//! | `gate.rs` | who gets what: a pure function of the request |
//! | `token.rs` | what strangers cannot guess |
//! | `pace.rs` | how often something is made anew |
//! | `connection.rs` | one request, as HTTP has it, and its answer |
//! | `server.rs` | listening, and one answer after the other |

mod connection;
mod gate;
mod pace;
mod server;
mod token;

pub use gate::{Asked, Gate, Refusal, Wanted};
pub use pace::{Moment, Pace};
pub use server::{Content, Server};
pub use token::Token;
