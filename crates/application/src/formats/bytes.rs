//! The bytes of a file that is no text, one value after the other.

use turnwise_config::Flaw;

/// What is left of a file, from a place on.
pub(super) struct Bytes<'a> {
    pub(super) file: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Bytes<'a> {
    #[inline]
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Flaw> {
        let rest = self.file.get(self.at..).unwrap_or(&[]);
        let Some(taken) = rest.get(..count) else {
            return Err(self.too_short(count));
        };
        self.at += count;
        Ok(taken)
    }

    #[cold]
    fn too_short(&self, count: usize) -> Flaw {
        let end = self.at.min(self.file.len());
        let left = self.file.len() - end;
        let message = format!("expected {count} bytes, found the end after {left}");
        Flaw::at(end, message)
    }

    #[inline]
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Flaw> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    #[inline]
    pub(super) fn u8(&mut self) -> Result<u8, Flaw> {
        Ok(self.array::<1>()?[0])
    }

    #[inline]
    pub(super) fn u16_be(&mut self) -> Result<u16, Flaw> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    #[inline]
    pub(super) fn u32_be(&mut self) -> Result<u32, Flaw> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    #[inline]
    pub(super) fn u64_be(&mut self) -> Result<u64, Flaw> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    #[inline]
    pub(super) fn u32_le(&mut self) -> Result<u32, Flaw> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    #[inline]
    pub(super) fn u64_le(&mut self) -> Result<u64, Flaw> {
        Ok(u64::from_le_bytes(self.array()?))
    }
}
