//! Extended generalised fat trees, k-ary n-trees among them.

/// XGFT(h; m_1..m_h; w_1..w_h) with `w_1 = 1`. Level 0 are the terminals, level h the roots.
///
/// A node of level `l` has the label `(a_h .. a_1)` where digit `a_i` is below `w_i` for
/// `i <= l` and below `m_i` otherwise. Routers are numbered level by level from the leaves
/// up, inside a level by label with `a_h` most significant; so are the terminals.
/// Ports of a switch of level `l`: `m_l` downwards (terminals if `l = 1`), then `w_{l+1}` upwards;
/// down port `c` leads to the child whose digit `a_l` is `c`, up port `p` to the parent whose
/// digit `a_{l+1}` is `p`.
///
/// Source: Öhring et al., "On generalized fat trees", IPPS 1995; Petrini and Vanneschi,
/// "k-ary n-trees", IPPS 1997.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FatTree {
    /// Children of a node of level 1, 2, .. h.
    pub m: Vec<u32>,
    /// Parents of a node of level 0, 1, .. h-1.
    pub w: Vec<u32>,
    level_offsets: Vec<u32>,
}

impl FatTree {
    /// The tree with these children and parents; both slices have one entry a level, and the
    /// caller has checked that the counts fit into 32 bits.
    pub fn new(m: &[u32], w: &[u32]) -> Self {
        let mut tree = Self {
            m: m.to_vec(),
            w: w.to_vec(),
            level_offsets: vec![0],
        };
        let mut total = 0;
        for level in 1..=m.len() {
            total += tree.switches(level) as u32;
            tree.level_offsets.push(total);
        }
        tree
    }

    /// Number of levels of switches, h.
    pub fn height(&self) -> usize {
        self.m.len()
    }

    /// Number of switches of a level (number of terminals for level 0).
    pub fn switches(&self, level: usize) -> u64 {
        let digits = (0..self.m.len()).map(|digit| self.digit_base(level, digit));
        digits.fold(1, |product, base| product.saturating_mul(u64::from(base)))
    }

    /// How many values digit `a_{digit+1}` of a label of this level takes.
    fn digit_base(&self, level: usize, digit: usize) -> u32 {
        if digit < level {
            self.w[digit]
        } else {
            self.m[digit]
        }
    }

    /// A router's level (1..=h) and its number inside the level.
    pub fn level_and_index(&self, router: u32) -> (usize, u32) {
        let level = self
            .level_offsets
            .partition_point(|&offset| offset <= router);
        (level, router - self.level_offsets[level - 1])
    }

    /// The router of a level by its number inside the level.
    pub fn router_at(&self, level: usize, index: u32) -> u32 {
        self.level_offsets[level - 1] + index
    }

    /// The label of a node, `a_1` first.
    pub fn label(&self, level: usize, index: u32) -> Vec<u32> {
        let mut rest = index;
        (0..self.m.len())
            .map(|digit| {
                let base = self.digit_base(level, digit);
                let value = rest % base;
                rest /= base;
                value
            })
            .collect()
    }

    /// The number of a node inside its level from its label, `a_1` first.
    pub fn index(&self, level: usize, label: &[u32]) -> u32 {
        (0..self.m.len()).rev().fold(0, |index, digit| {
            index * self.digit_base(level, digit) + label[digit]
        })
    }

    /// Number of ports downwards of a switch of this level.
    pub fn down_ports(&self, level: usize) -> u32 {
        self.m[level - 1]
    }

    /// Number of ports upwards of a switch of this level, 0 for roots.
    pub fn up_ports(&self, level: usize) -> u32 {
        self.w.get(level).copied().unwrap_or(0)
    }

    /// Is this switch (level, label) an ancestor of this terminal, so that one can go down from here?
    pub fn is_ancestor(&self, level: usize, label: &[u32], terminal_label: &[u32]) -> bool {
        label[level..] == terminal_label[level..]
    }
}
