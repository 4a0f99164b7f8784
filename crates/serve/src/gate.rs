//! Who gets what: a pure function of the request.

use super::token::Token;
use std::net::{IpAddr, SocketAddr};

/// What is known of a request before anything is done for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Such as `GET`.
    pub method: String,
    /// Path and query, as sent.
    pub target: String,
    /// Names and values in the order in which they were sent.
    pub headers: Vec<(String, String)>,
}

impl Asked {
    /// The values of a header.
    fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = move |(own, _): &&(String, String)| own.eq_ignore_ascii_case(name);
        self.headers
            .iter()
            .filter(named)
            .map(|(_, value)| value.trim())
    }

    /// The value of a header that must not be there twice.
    fn value<'a>(&'a self, name: &'a str) -> Result<Option<&'a str>, Refusal> {
        let mut values = self.values(name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(Refusal::Unclear),
            (value, None) => Ok(value),
        }
    }
}

/// What there is to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The page.
    Page,
    /// How far it is.
    State,
}

/// Why nothing is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is said twice, or not as HTTP has it.
    Unclear,
    /// It asks for a machine that this one is not called.
    ForeignHost,
    /// A page of another site asks.
    CrossSite,
    /// It wants something else than to read.
    NotReading,
    /// There is no such thing, or not for those who know no better.
    Nothing,
}

impl Refusal {
    /// The status of the answer.
    pub fn status(self) -> u16 {
        match self {
            Self::Unclear => 400,
            Self::ForeignHost | Self::CrossSite => 403,
            Self::NotReading => 405,
            Self::Nothing => 404,
        }
    }
}

/// Decides about requests to one address.
pub struct Gate {
    address: SocketAddr,
    /// What this machine is called; believed only where a token is asked for too.
    name: Option<String>,
    token: Option<Token>,
}

impl Gate {
    /// The gate of an address. Without a token, requests must name the machine as only itself does.
    pub fn new(address: SocketAddr, name: Option<String>, token: Option<Token>) -> Self {
        Self {
            address,
            name,
            token,
        }
    }

    /// What the address is called by those who may come in.
    pub fn link(&self) -> String {
        let own = match (self.address.ip().is_unspecified(), &self.name) {
            (true, Some(name)) => format!("{name}:{}", self.address.port()),
            _ => self.address.to_string(),
        };
        match &self.token {
            Some(token) => format!("http://{own}/{}/", token.text()),
            None => format!("http://{own}/"),
        }
    }

    /// What is given to a request.
    ///
    /// # Errors
    /// The first reason to refuse it.
    pub fn judge(&self, asked: &Asked) -> Result<Wanted, Refusal> {
        let host = asked.value("Host")?.ok_or(Refusal::ForeignHost)?;
        if !self.is_own(host) {
            return Err(Refusal::ForeignHost);
        }
        let origin = asked.value("Origin")?;
        let is_ours = |origin: &str| origin == format!("http://{host}");
        let site = asked.value("Sec-Fetch-Site")?;
        // Browsers say `none` where somebody typed the address.
        let is_near = |site: &str| matches!(site, "same-origin" | "none");
        if !origin.is_none_or(is_ours) || !site.is_none_or(is_near) {
            return Err(Refusal::CrossSite);
        }
        if !matches!(asked.method.as_str(), "GET" | "HEAD") {
            return Err(Refusal::NotReading);
        }
        let path = asked.target.strip_prefix('/').ok_or(Refusal::Unclear)?;
        let path = match &self.token {
            None => path,
            Some(token) => {
                let (first, rest) = path.split_once('/').ok_or(Refusal::Nothing)?;
                token.is(first).then_some(rest).ok_or(Refusal::Nothing)?
            }
        };
        match path {
            "" => Ok(Wanted::Page),
            "state" => Ok(Wanted::State),
            _ => Err(Refusal::Nothing),
        }
    }

    /// Is this a name of ours, with our port? A name that anybody can point at this machine is not.
    fn is_own(&self, host: &str) -> bool {
        // Who asks at port 80 leaves it out. The colons of an IPv6 address are in brackets.
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port),
            _ => (host, "80"),
        };
        let own_port = port == self.address.port().to_string();
        let bare = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        let address: Option<IpAddr> = match bare {
            Some(name) => name.parse().ok().filter(IpAddr::is_ipv6),
            None => name.parse().ok().filter(IpAddr::is_ipv4),
        };
        let named = match (address, &self.token) {
            (Some(address), None) => address.is_loopback(),
            // Nobody is led here by an address; the token does the rest.
            (Some(_), Some(_)) => true,
            (None, None) => name.eq_ignore_ascii_case("localhost"),
            (None, Some(_)) => {
                let own = self.name.as_deref();
                own.is_some_and(|own| name.eq_ignore_ascii_case(own))
            }
        };
        own_port && named
    }
}
