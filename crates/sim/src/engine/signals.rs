//! What a router knows of congestion, for adaptive routing.
//!
//! * `view`: its own output ports, as an algorithm that decides there sees them.

mod view;
