//! A rank at work: its script, and those of its tasks that are not done.

use crate::script::Script;
use crate::task::Task;
use crate::window::{State, TaskId, Window};

/// A rank at work. It knows what may start, not when anything does: whoever plays it says so.
pub struct Rank {
    script: Box<dyn Script>,
    window: Window,
    /// Tasks that have just become ready.
    ready: Vec<TaskId>,
}

impl Rank {
    /// Before its first task.
    pub fn new(script: Box<dyn Script>) -> Self {
        Self {
            script,
            window: Window::default(),
            ready: Vec::new(),
        }
    }

    /// Begins. Tasks that may start are in [`take_ready`](Self::take_ready), now and after all that follows.
    pub fn begin(&mut self) {
        self.proceed(0);
        self.pass();
    }

    /// A task has started.
    pub fn started(&mut self, task: TaskId) {
        self.window.start(task, &mut self.ready);
        self.pass();
    }

    /// A task is done, whether or not it was said to have started.
    pub fn done(&mut self, task: TaskId) {
        self.window.finish(task, &mut self.ready);
        self.pass();
    }

    /// The tasks that have become ready since this was last asked: sends first, then receives, then computing,
    /// else in the order in which they were set free. Never any that proceed.
    pub fn take_ready(&mut self, ready: &mut Vec<TaskId>) {
        let start = ready.len();
        ready.append(&mut self.ready);
        if ready.len() > start + 1 {
            let window = &self.window;
            let precedence = |&task: &TaskId| {
                let task = window.get(task);
                task.map_or(0, |task| task.work.precedence())
            };
            ready[start..].sort_by_key(precedence);
        }
    }

    /// Has nothing become ready?
    pub fn is_idle(&self) -> bool {
        self.ready.is_empty()
    }

    /// A task that is not done.
    pub fn task(&self, id: TaskId) -> Option<&Task> {
        self.window.get(id)
    }

    /// Has it done all that its script has told?
    pub fn is_done(&self) -> bool {
        self.window.live() == 0
    }

    /// How many tasks it has had so far.
    pub fn tasks(&self) -> u64 {
        self.window.added()
    }

    /// The tasks that are not done: number, task, state.
    pub fn pending(&self) -> impl Iterator<Item = (u64, Task, State)> {
        self.window.pending()
    }

    /// Bytes of memory that its script and its tasks take.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let ready = (self.ready.capacity() * size_of::<TaskId>()) as u64;
        self.script.memory_bytes() + self.window.memory_bytes() + ready
    }

    fn proceed(&mut self, point: u32) {
        self.script.proceed(point, &mut self.window);
        self.window.open(&mut self.ready);
    }

    /// Asks the script wherever it is to be asked again.
    fn pass(&mut self) {
        while let Some(point) = self.window.next_point(&mut self.ready) {
            self.proceed(point);
        }
    }
}
