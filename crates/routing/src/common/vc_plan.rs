//! How many virtual channels an algorithm may use, and which of them each class gets.

use crate::algorithm::Context;
use turnwise_network::{Invalid, Vc, VcSet};

/// The virtual channels of a channel, as one algorithm divides them among its classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VcPlan {
    /// Virtual channels the classes are spread over.
    pub(crate) used: Vc,
    /// Virtual channels a channel has.
    pub(crate) total: Vc,
}

impl VcPlan {
    /// What the study asks for, or else all the router has: `needed`, if the study does not say.
    pub(crate) fn new(
        kind: &str,
        asked: Option<Vc>,
        needed: Vc,
        context: &Context<'_>,
    ) -> Result<Self, Invalid> {
        let all = context.router_virtual_channels.unwrap_or(needed);
        Self::of(kind, asked, needed.max(all), needed, context)
    }

    /// What the study asks for, or else as many as needed, however many the router has.
    pub(crate) fn no_more(
        kind: &str,
        asked: Option<Vc>,
        needed: Vc,
        context: &Context<'_>,
    ) -> Result<Self, Invalid> {
        Self::of(kind, asked, needed, needed, context)
    }

    fn of(
        kind: &str,
        asked: Option<Vc>,
        default: Vc,
        needed: Vc,
        context: &Context<'_>,
    ) -> Result<Self, Invalid> {
        let used = asked.unwrap_or(default);
        let refuse = |message: String, help: String| {
            Err(Invalid::new("virtual_channels", message).with_help(help))
        };
        let most = VcSet::CAPACITY;
        let range = format!("a channel has 1 to {most} virtual channels");
        let total = context.router_virtual_channels.unwrap_or(used);
        if asked.is_none() && (total == 0 || total > most) {
            return refuse(format!("the router has {}", context.counted(total)), range);
        }
        if used == 0 || used > most {
            return refuse(format!("expected 1 to {most}, found {used}"), range);
        }
        if used <= total {
            return Ok(Self { used, total });
        }
        let has = context.counted(total);
        match asked {
            Some(_) => refuse(
                format!("the router has only {has}"),
                format!("take {total} here, or {}", context.of_router(used.into())),
            ),
            None => refuse(
                format!(
                    "`{kind}` needs {} on this network, the router has {has}",
                    Context::default().counted(needed)
                ),
                format!(
                    "take {}, or virtual_channels = {total} here to go \
                     without some of the classes that keep it free of deadlock",
                    context.of_router(needed.into())
                ),
            ),
        }
    }

    /// Every virtual channel there is: what injection and ejection channels take.
    pub(crate) fn all(self) -> VcSet {
        VcSet::all(self.total)
    }

    /// Every virtual channel the algorithm uses between routers.
    pub(crate) fn every_class(self) -> VcSet {
        VcSet::all(self.used)
    }

    /// The share of a class if classes take turns: the virtual channels whose numbers leave `class` by `classes`. With
    /// too few, the last one serves all higher classes.
    pub(crate) fn class_in_turn(self, class: Vc, classes: Vc) -> VcSet {
        let members = (0..self.used).filter(|vc| vc % classes == class);
        let set = members.fold(VcSet(0), |set, vc| VcSet(set.0 | VcSet::one(vc).0));
        match set.is_empty() {
            true => VcSet::one(self.used - 1),
            false => set,
        }
    }

    /// The share of class `class` out of `classes`. Too few virtual channels for all classes
    /// make the last of them serve all higher ones, which is what the verifier will object to.
    pub(crate) fn class(self, class: usize, classes: usize) -> VcSet {
        let (used, class) = (usize::from(self.used), class.min(classes - 1));
        if used < classes {
            return VcSet::one(class.min(used - 1) as Vc);
        }
        VcSet::range(
            (class * used / classes) as Vc,
            ((class + 1) * used / classes) as Vc,
        )
    }

    /// The same, but virtual channels that are left over when all classes have as many go to the class `first`, the ones after it, and only
    /// then to those before it: where most packets take the last classes of a route alone.
    pub(crate) fn class_from(self, first: usize, class: usize, classes: usize) -> VcSet {
        let (used, class) = (usize::from(self.used), class.min(classes - 1));
        if used < classes {
            return self.class(class, classes);
        }
        let turn = |class: usize| match class.checked_sub(first) {
            Some(after) => after,
            None => classes - 1 - class,
        };
        let share = |class| used / classes + usize::from(turn(class) < used % classes);
        let start: usize = (0..class).map(share).sum();
        VcSet::range(start as Vc, (start + share(class)) as Vc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router(virtual_channels: Vc) -> Context<'static> {
        Context {
            router_virtual_channels: Some(virtual_channels),
            ..Context::default()
        }
    }

    #[test]
    fn classes_are_spread_evenly_or_capped() {
        let plan = |used| VcPlan { used, total: 8 };
        let classes = |used, count| {
            (0..count)
                .map(|class| plan(used).class(class, count).0)
                .collect::<Vec<_>>()
        };
        assert_eq!(classes(4, 4), [0b1, 0b10, 0b100, 0b1000]);
        assert_eq!(classes(8, 4), [0b11, 0b1100, 0b11_0000, 0b1100_0000]);
        assert_eq!(classes(3, 2), [0b1, 0b110]);
        assert_eq!(classes(2, 4), [0b1, 0b10, 0b10, 0b10]);
        assert_eq!(classes(1, 3), [1, 1, 1]);
        let in_turn = |used| [0, 1].map(|class| plan(used).class_in_turn(class, 2).0);
        assert_eq!(in_turn(5), [0b10101, 0b1010]);
        assert_eq!(in_turn(1), [1, 1]);
    }

    #[test]
    fn what_is_left_over_goes_to_the_favoured_classes() {
        let shares = |used, first, classes| {
            let plan = VcPlan { used, total: 12 };
            let sets = (0..classes).map(move |class| plan.class_from(first, class, classes));
            sets.map(|set| set.0).collect::<Vec<_>>()
        };
        assert_eq!(shares(5, 2, 4), [0b1, 0b10, 0b1100, 0b1_0000]);
        assert_eq!(shares(6, 2, 4), [0b1, 0b10, 0b1100, 0b11_0000]);
        assert_eq!(shares(7, 2, 4), [0b1, 0b110, 0b1_1000, 0b110_0000]);
        assert_eq!(shares(6, 3, 5), [0b1, 0b10, 0b100, 0b1_1000, 0b10_0000]);
        for (used, classes) in [(3, 4), (4, 4), (12, 4)] {
            let plan = VcPlan { used, total: 12 };
            let alike = (0..classes).map(|class| plan.class(class, classes).0);
            assert_eq!(shares(used, 2, classes), alike.collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_router_sets_the_limit() {
        let error =
            |asked, context: &Context<'_>| VcPlan::new("minimal", asked, 2, context).unwrap_err();
        assert_eq!(
            VcPlan::new("minimal", None, 2, &router(4)),
            Ok(VcPlan { used: 4, total: 4 })
        );
        assert_eq!(
            VcPlan::no_more("minimal", None, 2, &router(4)),
            Ok(VcPlan { used: 2, total: 4 })
        );
        assert_eq!(
            VcPlan::new("minimal", Some(3), 2, &router(4)),
            Ok(VcPlan { used: 3, total: 4 })
        );
        assert_eq!(
            VcPlan::new("minimal", None, 2, &Context::default()),
            Ok(VcPlan { used: 2, total: 2 })
        );
        assert!(
            error(Some(5), &router(4))
                .message
                .contains("only 4 virtual channels")
        );
        assert!(
            error(None, &router(1))
                .message
                .contains("needs 2 virtual channels")
        );
        // What each of two classes of messages needs, the router needs twice.
        let two = Context {
            message_classes: 2,
            ..router(1)
        };
        let refused = error(None, &two);
        let has = "the router has 1 virtual channel for each of 2 classes of messages";
        assert!(refused.message.ends_with(has), "{}", refused.message);
        assert!(
            refused
                .help
                .unwrap()
                .contains("router.virtual_channels = 4,")
        );
        for (asked, context) in [
            (Some(0), router(4)),
            (Some(33), Context::default()),
            (None, router(0)),
            (None, router(40)),
        ] {
            assert_eq!(error(asked, &context).place, "virtual_channels");
        }
    }
}
