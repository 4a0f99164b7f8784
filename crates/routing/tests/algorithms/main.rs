//! What every routing algorithm promises, held to it on small networks of every kind.

mod cases;
mod classes;
mod explore;
mod faults;
mod healthy;
mod parameters;
mod properties;
mod written;
