use std::fmt;

const LIMIT: u8 = 3;
static ZONE: &str = "UTC";
type Hour = u8;

/// A clock.
#[derive(Debug)]
pub struct Clock<T> {
    at: T,
}

pub enum Mode {
    On,
    Off,
}

trait Bell {
    fn ring(&self);
}

impl<T> Clock<T> {
    pub fn turn(&self) -> (u8,) {
        let local = 'c';
        (1,)
    }
}

impl<T> fmt::Display for Clock<T> {
    fn fmt(&self) {}
}

macro_rules! tick {
    () => {};
}

mod inner {
    #[inline]
    pub fn helper() {}
}
