//! What belongs together: union-find, by the first member of each class, with paths halved.

/// Members, and in which class each is.
pub(crate) struct Partition {
    parents: Vec<u32>,
    /// How many classes there are.
    pub(crate) count: usize,
}

impl Partition {
    /// Each by itself.
    pub(crate) fn new(count: usize) -> Self {
        Self {
            parents: (0..count as u32).collect(),
            count,
        }
    }

    fn first(&mut self, mut of: u32) -> u32 {
        while self.parents[of as usize] != of {
            let parent = self.parents[of as usize];
            self.parents[of as usize] = self.parents[parent as usize];
            of = parent;
        }
        of
    }

    /// From now on these two belong together.
    pub(crate) fn unite(&mut self, one: u32, other: u32) {
        let [one, other] = [one, other].map(|of| self.first(of));
        self.parents[one.max(other) as usize] = one.min(other);
        self.count -= usize::from(one != other);
    }

    /// By member: the first one of its class.
    pub(crate) fn numbers(mut self) -> Vec<u32> {
        let members = 0..self.parents.len() as u32;
        members.map(|of| self.first(of)).collect()
    }
}
