//! How much room the destination lacks.

use crate::fs::beneath::above;
use crate::fs::made_up::Lengths;
use crate::fs::meta::Meta;
use crate::fs::room::Free;
use crate::run::state::{Lack, Run};
use std::path::Path;

impl Run<'_, '_, '_> {
    /// Returns the number of bytes of data in a source: holes need no space.
    pub(crate) fn space_of(&self, meta: &Meta) -> u64 {
        // Some file systems in user space say of every file that nothing is allocated.
        let silent = self.known.lengths.borrow().get(&meta.device) != Some(&Lengths::True);
        if silent && meta.allocated == 0 { meta.size } else { meta.size.min(meta.allocated) }
    }

    fn lack(&mut self, name: &Path) -> Option<(&mut Lack, Free)> {
        let folder = self.root.nearest(above(name)).ok()?;
        let (device, free) = (Meta::of(&folder).ok()?.device, Free::of(&folder)?);
        Some((self.shortage.entry(device).or_insert(Lack { folder, free: free.bytes, needed: 0 }), free))
    }

    /// In a dry run, notes that a file would be copied to this name, maybe in place of another.
    pub(crate) fn would_take_room(&mut self, i: usize, name: &Path, there: Option<&Meta>) {
        let plan = &self.batch.members[i].plan;
        let (space, replaced) = (plan.space, plan.replace.is_some());
        let Some((lack, free)) = self.lack(name) else { return };
        let needed = free.needed(space);
        if needed > lack.free {
            lack.needed = lack.needed.saturating_add(needed);
            return;
        }
        lack.free -= needed;
        // The old file goes only when the new one is complete.
        if let Some(old) = there.filter(|old| replaced && old.links == 1) {
            lack.free = lack.free.saturating_add(old.allocated);
        }
    }

    /// Notes that there was no room for a file.
    pub(crate) fn lacks_room(&mut self, i: usize) {
        let plan = &self.batch.members[i].plan;
        let (space, name) = (plan.space, plan.naming.path(plan.number));
        if let Some((lack, free)) = self.lack(&name) {
            lack.needed = lack.needed.saturating_add(free.needed(space));
        }
    }

    /// Puts into the summary how much more room is needed.
    pub(crate) fn sum_up_shortage(&mut self) {
        let summary = &mut self.report.summary;
        for lack in std::mem::take(&mut self.shortage).into_values() {
            let now = Free::of(&lack.folder).map_or(0, |f| f.bytes);
            let free = if self.options.dry_run { lack.free } else { now };
            if lack.needed > free {
                summary.missing_bytes = summary.missing_bytes.saturating_add(lack.needed - free);
                summary.free_bytes = summary.free_bytes.saturating_add(now);
            }
        }
    }
}
