//! Which output block each component is stored in, and where.
//!
//! Must not know how it is stored.

use crate::compile::CompileError;
use crate::kernel::{OutputBlock, OutputMap, OutputPlace, Rate, RowLayout};
use crate::kir::Inst;
use crate::stage::Staged;

/// What each component of each output varies with: `components[e]` is the number of components of output element e.
/// What nothing stores does not vary.
pub fn rates(staged: &Staged, components: &[u8]) -> Vec<Vec<Rate>> {
    let mut rates: Vec<Vec<Rate>> = components
        .iter()
        .map(|&n| vec![Rate::DRAW; usize::from(n)])
        .collect();
    for stage in &staged.stages {
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
    rates
}

/// Refuses blocks of the caller's that do not vary with all that their components vary with.
///
/// # Errors
/// [`CompileError::Rate`], with the first component that does not fit.
pub fn check(rates: &[Vec<Rate>], map: &OutputMap) -> Result<(), CompileError> {
    for (output, (rates, places)) in rates.iter().zip(&map.places).enumerate() {
        for (&rate, place) in rates.iter().zip(places) {
            let block = (map.blocks.get(place.block as usize)).map_or(Rate::DRAW, |b| b.rate);
            if !block.contains(rate) {
                return Err(CompileError::Rate {
                    output,
                    rate,
                    block,
                });
            }
        }
    }
    Ok(())
}

/// Decides the places of all output components.
///
/// Blocks by rate come in the order of [`Rate::ALL`], and elements and components keep their order in them. Components
/// that nothing stores take a place in the block of the draw.
pub fn plan(staged: &Staged, components: &[u8], rows: &RowLayout) -> OutputMap {
    let rates = rates(staged, components);
    match rows {
        RowLayout::ByRate => by_rate(&rates),
        RowLayout::Full => {
            let reads_view = staged.stages.iter().any(|stage| stage.rate.view);
            let full = Rate::new(reads_view, true, true);
            by_rate(
                &rates
                    .iter()
                    .map(|e| vec![full; e.len()])
                    .collect::<Vec<_>>(),
            )
        }
        RowLayout::Placed(map) => OutputMap::clone(map),
    }
}

fn by_rate(rates: &[Vec<Rate>]) -> OutputMap {
    let nowhere = OutputPlace {
        block: 0,
        offset: 0,
    };
    let mut map = OutputMap {
        blocks: Vec::new(),
        places: rates.iter().map(|e| vec![nowhere; e.len()]).collect(),
    };
    for rate in Rate::ALL {
        let mut stride = 0;
        for (places, rates) in map.places.iter_mut().zip(rates) {
            for (place, &r) in places.iter_mut().zip(rates) {
                if r == rate {
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
