//! An order of a straight run that keeps few values alive.
//!
//! Depth first from each store or other end, in the order of the source: of the operands of an instruction the one
//! first in the source first. But whenever values that are alive anyway could be used up by more than they would make,
//! that is done at once: a weight times a row of a matrix is followed by the same weight times the matrix's other rows.
//!
//! Must not know instructions.

use super::{Class, Node};
use rustc_hash::FxHashMap;

/// Most instructions that are moved forward together.
const MOVED: usize = 64;

/// Most users of a value that are looked at.
const USERS: usize = 8;

/// The order. Of `chains` that share nothing but what they begin with, each has its own, and these take turns.
pub(super) fn low_pressure(nodes: &[Node], chains: u32) -> Vec<u32> {
    let mut order = Order {
        nodes,
        order: Vec::with_capacity(nodes.len()),
        placed: vec![false; nodes.len()],
        left: vec![0; nodes.len()],
        together: Together::new(nodes.len()),
    };
    for node in nodes {
        for &o in &node.operands {
            order.left[o as usize] += 1;
        }
    }
    let ends: Vec<u32> = (0..nodes.len() as u32)
        .filter(|&n| nodes[n as usize].after.is_empty() && !nodes[n as usize].on_demand)
        .collect();
    if chains < 2 {
        ends.iter().for_each(|&end| order.place(end, true));
        return order.order;
    }
    let chain_of = chains_of_ends(nodes, &ends);
    let mut orders = [Some(0), Some(1), None].map(|chain| {
        for (&end, _) in ends.iter().zip(&chain_of).filter(|(_, c)| **c == chain) {
            order.place(end, true);
        }
        std::mem::take(&mut order.order)
    });
    let rest = std::mem::take(&mut orders[2]);
    let [first, second, _] = &orders;
    let mut merged = Vec::with_capacity(nodes.len());
    let mut turn = second.iter();
    for (i, &n) in first.iter().enumerate() {
        merged.push(n);
        let until = (i + 1) * second.len() / first.len();
        let taken = second.len() - turn.len();
        merged.extend(turn.by_ref().take(until - taken));
    }
    merged.extend(turn);
    merged.extend(rest);
    merged
}

/// The chain (0 or 1) that each end belongs to; None where there is nothing like it in another chain. The parts of a
/// run that neither vectors nor the order of stores connect come in pairs of one size, those of the first chain first.
fn chains_of_ends(nodes: &[Node], ends: &[u32]) -> Vec<Option<usize>> {
    let mut parts = Parts((0..nodes.len() as u32).collect());
    let stored = stored(nodes);
    for n in (0..nodes.len() as u32).filter(|&n| stored[n as usize]) {
        let node = &nodes[n as usize];
        for &o in &node.operands {
            let operand = &nodes[o as usize];
            if operand.class == Some(Class::Vector) && !operand.on_demand {
                parts.join(n, o);
            }
        }
        for &b in node.before.iter().filter(|_| node.class.is_none()) {
            if nodes[b as usize].class.is_none() {
                parts.join(n, b);
            }
        }
    }
    let mut sizes = vec![0u32; nodes.len()];
    for n in 0..nodes.len() as u32 {
        sizes[parts.of(n) as usize] += 1;
    }
    // The parts of each size, in order.
    let mut alike: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for &end in ends.iter().filter(|&&end| stored[end as usize]) {
        let part = parts.of(end);
        let parts = alike.entry(sizes[part as usize]).or_default();
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    ends.iter()
        .map(|&end| {
            let part = parts.of(end);
            let alike = alike.get(&sizes[part as usize])?;
            let place = alike.iter().position(|&p| p == part)?;
            (alike.len() > 1).then_some(2 * place / alike.len())
        })
        .collect()
}

/// Sets of nodes that are connected.
struct Parts(Vec<u32>);

impl Parts {
    fn of(&mut self, mut n: u32) -> u32 {
        while self.0[n as usize] != n {
            let up = self.0[self.0[n as usize] as usize];
            self.0[n as usize] = up;
            n = up;
        }
        n
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// What instructions without results, stores above all, are made from, and those themselves.
fn stored(nodes: &[Node]) -> Vec<bool> {
    let mut stored = vec![false; nodes.len()];
    let mut open: Vec<u32> = (0..nodes.len() as u32)
        .filter(|&n| nodes[n as usize].class.is_none())
        .collect();
    while let Some(n) = open.pop() {
        if !std::mem::replace(&mut stored[n as usize], true) {
            open.extend_from_slice(&nodes[n as usize].operands);
        }
    }
    stored
}

struct Order<'a> {
    nodes: &'a [Node],
    order: Vec<u32>,
    placed: Vec<bool>,
    /// Uses of each value not placed yet.
    left: Vec<u32>,
    together: Together,
}

/// Nodes that could be placed together.
#[derive(Default)]
struct Together {
    nodes: Vec<u32>,
    /// By node, whether it is among them.
    holds: Vec<bool>,
    /// Those whose results nothing among them uses.
    ends: Vec<u32>,
    /// By node, how many of them use it.
    uses: Vec<u32>,
    used: Vec<u32>,
}

impl Together {
    fn new(nodes: usize) -> Together {
        Together {
            holds: vec![false; nodes],
            uses: vec![0; nodes],
            ..Together::default()
        }
    }

    /// Forgets all but the first `len` nodes.
    fn truncate(&mut self, len: usize) {
        for n in self.nodes.drain(len..) {
            self.holds[n as usize] = false;
        }
    }
}

impl Order<'_> {
    fn node(&self, n: u32) -> &Node {
        &self.nodes[n as usize]
    }

    /// Places a node after all that must come before it.
    fn place(&mut self, end: u32, bargain: bool) {
        let mut stack = vec![(end, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let n = *node;
            if self.placed[n as usize] {
                stack.pop();
                continue;
            }
            if let Some(&before) = self.nodes[n as usize].before.get(*next) {
                *next += 1;
                if !self.placed[before as usize] {
                    stack.push((before, 0));
                }
                continue;
            }
            stack.pop();
            self.placed[n as usize] = true;
            self.order.push(n);
            for &o in &self.nodes[n as usize].operands {
                self.left[o as usize] -= 1;
            }
            if bargain {
                for &operand in &self.nodes[n as usize].operands {
                    self.use_up(operand);
                }
            }
        }
    }

    /// Places all that uses a value if less is alive afterwards.
    fn use_up(&mut self, value: u32) {
        let node = &self.nodes[value as usize];
        if self.left[value as usize] == 0 || node.escapes || node.after.len() > USERS {
            return;
        }
        self.together.truncate(0);
        self.together.ends.clear();
        for &user in &node.after {
            if !self.placed[user as usize] && !self.add(user) {
                return;
            }
        }
        if self.growth() < 0 {
            let ends = std::mem::take(&mut self.together.ends);
            for &end in &ends {
                self.place(end, false);
            }
            self.together.ends = ends;
        }
    }

    /// Adds a node, what it needs, and what can be made of it alone and of values that are there.
    fn add(&mut self, node: u32) -> bool {
        if !self.add_needed(node) {
            return false;
        }
        let mut end = node;
        loop {
            let n = self.node(end);
            let [user] = n.after[..] else { break };
            if n.escapes || n.class.is_none() || self.together.holds[user as usize] {
                break;
            }
            let before = self.together.nodes.len();
            if !self.add_needed(user) {
                self.together.truncate(before);
                break;
            }
            end = user;
        }
        self.together.ends.push(end);
        true
    }

    /// Adds a node and what it needs, if that is not too much.
    fn add_needed(&mut self, node: u32) -> bool {
        let together = &mut self.together;
        let mut next = together.nodes.len();
        let add = |together: &mut Together, n: u32| {
            if !self.placed[n as usize] && !std::mem::replace(&mut together.holds[n as usize], true)
            {
                together.nodes.push(n);
            }
        };
        add(together, node);
        while let Some(&n) = together.nodes.get(next) {
            next += 1;
            if together.nodes.len() > MOVED {
                return false;
            }
            for &b in &self.nodes[n as usize].before {
                add(together, b);
            }
        }
        true
    }

    /// Values alive after the nodes are placed less those alive before; a scalar is half a vector.
    fn growth(&mut self) -> i32 {
        let weight = |n: &Node| match n.class {
            Some(Class::Vector) => 2,
            Some(Class::Scalar) => 1,
            None => 0,
        };
        let together = &mut self.together;
        for &n in &together.nodes {
            for &o in &self.nodes[n as usize].operands {
                together.uses[o as usize] += 1;
                if together.uses[o as usize] == 1 {
                    together.used.push(o);
                }
            }
        }
        let mut growth = 0;
        for &n in &together.nodes {
            let node = &self.nodes[n as usize];
            if node.escapes || self.left[n as usize] > together.uses[n as usize] {
                growth += weight(node);
            }
        }
        for o in together.used.drain(..) {
            let node = &self.nodes[o as usize];
            let uses = std::mem::take(&mut together.uses[o as usize]);
            if self.placed[o as usize] && !node.escapes && self.left[o as usize] == uses {
                growth -= weight(node);
            }
        }
        growth
    }
}
