//! Which output block each component is stored in, and where.
//!
//! Must not know how it is stored.

use crate::kernel::{OutputBlock, OutputMap, OutputPlace, Rate};
use crate::kir::Inst;
use crate::stage::Staged;

/// Decides the places of all output components: `components[e]` is the number of components of output element e.
///
/// Each rate gets a block of its own, in the order of [`Rate::ALL`], in which elements and components keep their
/// order; with `full_rows` there is one block at the rate of everything. Components that nothing stores take a place
/// in the block of the draw.
pub fn plan(staged: &Staged, components: &[u8], full_rows: bool) -> OutputMap {
    let mut rates: Vec<Vec<Rate>> = components
        .iter()
        .map(|&n| vec![Rate::DRAW; usize::from(n)])
        .collect();
    let mut reads_view = false;
    for stage in &staged.stages {
        reads_view |= stage.rate.view;
        for id in &stage.region.insts {
            if let Inst::Store {
                element, component, ..
            } = staged.function.insts[id.index()].inst
                && let Some(rate) = rates
                    .get_mut(element as usize)
                    .and_then(|e| e.get_mut(usize::from(component)))
            {
                *rate = stage.rate;
            }
        }
    }
    let full = Rate::new(reads_view, true, true);
    let block_rate = |rate: Rate| if full_rows { full } else { rate };
    let mut map = OutputMap {
        places: components
            .iter()
            .map(|&n| {
                let nowhere = OutputPlace {
                    block: 0,
                    offset: 0,
                };
                vec![nowhere; usize::from(n)]
            })
            .collect(),
        ..OutputMap::default()
    };
    for rate in Rate::ALL {
        let mut stride = 0;
        for (places, rates) in map.places.iter_mut().zip(&rates) {
            for (place, &r) in places.iter_mut().zip(rates) {
                if block_rate(r) == rate {
                    *place = OutputPlace {
                        block: map.blocks.len() as u32,
                        offset: stride,
                    };
                    stride += 4;
                }
            }
        }
        if stride > 0 {
            map.blocks.push(OutputBlock { rate, stride });
        }
    }
    map
}
