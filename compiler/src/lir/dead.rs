//! Drops instructions that nothing uses.
//!
//! Must not know what they are for.

use super::{Function, Inst, InstId, Region};

/// Removes pure instructions without uses, and branches with neither effects nor used results, from all stages.
pub fn run(f: &mut Function) {
    let mut used = vec![false; f.types.len()];
    let mut stages = std::mem::take(&mut f.stages);
    // A stage's values may be used by later ones.
    for region in stages.iter_mut().rev() {
        sweep(f, region, &mut used);
    }
    f.stages = stages;
}

fn sweep(f: &mut Function, region: &mut Region, used: &mut [bool]) {
    for y in &region.yields {
        used[y.0 as usize] = true;
    }
    let mut kept: Vec<InstId> = Vec::with_capacity(region.insts.len());
    for &id in region.insts.iter().rev() {
        let index = id.0 as usize;
        let wanted = f.insts[index].results.iter().any(|r| used[r.0 as usize]);
        if !wanted && f.insts[index].inst.is_pure() {
            continue;
        }
        let mut inst = std::mem::replace(&mut f.insts[index].inst, Inst::Scalar(0));
        match &mut inst {
            Inst::If { then, els, .. } => {
                sweep(f, then, used);
                sweep(f, els, used);
                if !wanted && then.insts.is_empty() && els.insts.is_empty() {
                    continue;
                }
            }
            Inst::Loop { body, .. } => {
                sweep(f, body, used);
            }
            _ => {}
        }
        inst.for_each_operand(|v| used[v.0 as usize] = true);
        f.insts[index].inst = inst;
        kept.push(id);
    }
    kept.reverse();
    region.insts = kept;
}
