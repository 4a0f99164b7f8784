//! Whole numbers as bytes, seven bits a byte (LEB128).

pub(super) struct Encoder(pub(super) Vec<u8>);

impl Encoder {
    pub(super) fn all(&mut self, values: impl IntoIterator<Item = u64>) {
        for mut value in values {
            while value >= 0x80 {
                self.0.push(value as u8 | 0x80);
                value >>= 7;
            }
            self.0.push(value as u8);
        }
    }
}

pub(super) struct Decoder<'a>(pub(super) &'a [u8]);

impl Decoder<'_> {
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7f);
            value |= bits
                .checked_shl(shift)
                .filter(|shifted| shifted >> shift == bits)?;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A number of at most 32 bits.
    pub(super) fn word(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// So many numbers.
    pub(super) fn numbers<const COUNT: usize>(&mut self) -> Option<[u64; COUNT]> {
        let mut numbers = [0; COUNT];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Some(numbers)
    }

    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.number()?;
        // Every item takes a byte at least, so that a wrong length cannot fill the memory.
        if count > self.0.len() as u64 {
            return None;
        }
        (0..count).map(|_| item(self)).collect()
    }
}
