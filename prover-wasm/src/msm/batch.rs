//! Adds affine points in batches that share one inversion (Montgomery's trick).

use super::Point;
use crate::field::Coordinate;

/// The number of additions that share an inversion: large enough that its cost hardly matters, small enough for the
/// cache. Between 512 and 4096 the difference is within the noise.
const BATCH: usize = 1024;

/// An addition: `out = left + right`, or `out = left`. `out` is a slot.
#[derive(Debug, Clone, Copy)]
pub struct Job {
    pub left: u32,
    pub right: Option<u32>,
    pub out: u32,
}

/// Resolves the numbers of operands.
pub trait Operands<F> {
    /// Returns the point with this number, and whether to negate it. May read the slots that [`BatchAdder::run`] writes
    /// to, as long as no job reads the result of an earlier one.
    fn get<'a>(&'a self, slots: &'a [Point<F>], number: u32) -> (&'a Point<F>, bool);
}

/// Operands that are slots, by number.
pub struct InPlace;

impl<F> Operands<F> for InPlace {
    #[inline(always)]
    fn get<'a>(&'a self, slots: &'a [Point<F>], number: u32) -> (&'a Point<F>, bool) {
        (&slots[number as usize], false)
    }
}

/// How a job computes its result.
enum Rule {
    Left,
    Right,
    Infinity,
    Add,
    Double,
}

struct Step<F> {
    rule: Rule,
    /// For [`Rule::Add`] and [`Rule::Double`]: the divisor of the slope, and the product of the divisors of all later
    /// jobs of the batch.
    denominator: F,
    later: F,
}

/// Runs jobs, and reuses its memory in later calls.
pub struct BatchAdder<F> {
    steps: Vec<Step<F>>,
}

impl<F> Default for BatchAdder<F> {
    fn default() -> Self {
        Self { steps: Vec::new() }
    }
}

impl<F: Coordinate> BatchAdder<F> {
    /// Writes every job's result to its slot.
    pub fn run(&mut self, slots: &mut [Point<F>], jobs: &[Job], operands: &impl Operands<F>) {
        for batch in jobs.chunks(BATCH) {
            self.steps.clear();
            let mut product = F::ONE;
            for job in batch.iter().rev() {
                let (rule, denominator) = match job.right {
                    None => (Rule::Left, F::ZERO),
                    Some(right) => rule(operands.get(slots, job.left), operands.get(slots, right)),
                };
                let joins = matches!(rule, Rule::Add | Rule::Double);
                self.steps.push(Step { rule, denominator, later: product });
                if joins {
                    product = product.times(&denominator);
                }
            }
            let mut inverse = product.inverse();
            for (job, step) in batch.iter().zip(self.steps.iter().rev()) {
                let left = operands.get(slots, job.left);
                let right = job.right.map_or(left, |right| operands.get(slots, right));
                let sum = match step.rule {
                    Rule::Left => signed(left),
                    Rule::Right => signed(right),
                    Rule::Infinity => Point::INFINITY,
                    Rule::Add | Rule::Double => {
                        let quotient = inverse.times(&step.later);
                        inverse = inverse.times(&step.denominator);
                        let slope = match step.rule {
                            // The operands are carried and of a size below 1.53, and a product.
                            Rule::Double => left.0.x.squared().tripled().times(&quotient),
                            _ => signed_y(right).difference_times(&signed_y(left), &quotient),
                        };
                        chord(&slope, left, right)
                    }
                };
                slots[job.out as usize] = sum;
            }
        }
    }
}

/// Returns the rule for two points, and its denominator: carried, of a size below 1.01.
#[inline(always)]
fn rule<F: Coordinate>(left: (&Point<F>, bool), right: (&Point<F>, bool)) -> (Rule, F) {
    if left.0.is_infinity() {
        return (Rule::Right, F::ZERO);
    }
    if right.0.is_infinity() {
        return (Rule::Left, F::ZERO);
    }
    let dx = right.0.x.minus(&left.0.x);
    if !dx.is_zero() {
        return (Rule::Add, dx);
    }
    // On the curve, equal x means that the points are equal or opposite.
    let y = signed_y(left);
    if signed_y(right).minus(&y).is_zero() { (Rule::Double, y.doubled()) } else { (Rule::Infinity, F::ZERO) }
}

/// Returns the third point of the line through both, mirrored: x = m^2 - x1 - x2, y = (x1 - x) m - y1.
///
/// The slope m is a product: carried, of a size below 0.51. Both coordinates are stored, so a chain of additions stays
/// within its bounds.
#[inline(always)]
fn chord<F: Coordinate>(slope: &F, left: (&Point<F>, bool), right: (&Point<F>, bool)) -> Point<F> {
    let x = slope.squared().minus_two(&left.0.x, &right.0.x);
    let y = left.0.x.difference_times(&x, slope).minus_stored(&signed_y(left));
    Point { x, y }
}

#[inline(always)]
fn signed<F: Coordinate>(operand: (&Point<F>, bool)) -> Point<F> {
    Point { x: operand.0.x, y: signed_y(operand) }
}

#[inline(always)]
fn signed_y<F: Coordinate>((point, negate): (&Point<F>, bool)) -> F {
    if negate { point.y.negated() } else { point.y }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{
        Fq, Fq2,
        limbs::{LIMBS, Limbs, Q, fits},
    };
    use ark_ec::{AffineRepr, CurveGroup, short_weierstrass::Affine};

    /// Fills slots with multiples of the generator, runs the jobs, and compares with arkworks' sums.
    fn check<F: Coordinate>(multiples: &[i64], jobs: &[Job]) {
        let generator = Affine::<F::Curve>::generator();
        let multiple = |n: i64| {
            let magnitude = generator.mul_bigint([n.unsigned_abs()]).into_affine();
            if n < 0 { -magnitude } else { magnitude }
        };
        let mut slots: Vec<Point<F>> = multiples.iter().map(|n| multiple(*n).into()).collect();
        slots.resize(slots.len() + jobs.len(), Point::INFINITY);
        BatchAdder::default().run(&mut slots, jobs, &InPlace);
        for job in jobs {
            let at = |i: u32| multiples[i as usize];
            let expected = multiple(at(job.left) + job.right.map_or(0, at));
            assert_eq!(slots[job.out as usize].to_ark(), expected, "{job:?}");
        }
    }

    /// Adds every pair of these multiples, so that one batch mixes ordinary additions with doublings, opposites and
    /// infinity. Then runs more jobs than fit in a batch.
    fn every_pair<F: Coordinate>() {
        let multiples = [0, 1, -1, 2, -2, 3, 0, 1, 1_000_003, -1_000_003];
        let n = multiples.len() as u32;
        let pair = |i: u32| Job { left: i % n, right: (i / n).checked_sub(1), out: n + i };
        let jobs: Vec<Job> = (0..n * (n + 1)).map(pair).collect();
        check::<F>(&multiples, &jobs);
        let many: Vec<Job> =
            (0..2 * BATCH as u32 + 1).map(|i| Job { out: n + i, ..pair(i % (n * (n + 1))) }).collect();
        check::<F>(&multiples, &many);
        check::<F>(&multiples, &[]);
    }

    #[test]
    fn every_kind_of_pair_is_added_in_one_batch() {
        every_pair::<Fq>();
        every_pair::<Fq2>();
    }

    /// Repeatedly adds to the result of the last addition, and checks the bounds of the coordinates each time.
    fn chain<F: Coordinate>(parts: impl Fn(&F) -> Vec<Limbs>) {
        let generator: Point<F> = Affine::<F::Curve>::generator().into();
        let mut slots = [generator, generator];
        let mut adder = BatchAdder::default();
        for step in 0..3000 {
            // Mostly adds the generator; sometimes adds the sum to itself.
            let right = Some(if step % 7 == 3 { 1 } else { 0 });
            adder.run(&mut slots, &[Job { left: 1, right, out: 1 }], &InPlace);
            for limbs in [parts(&slots[1].x), parts(&slots[1].y)].concat() {
                assert!(fits(&limbs, 1) && (limbs[LIMBS - 1].abs() as f64) < 0.501 * Q[LIMBS - 1] as f64);
            }
        }
        assert!(slots[1].to_ark().is_on_curve());
    }

    #[test]
    fn coordinates_stay_within_bounds_however_long_the_chain() {
        chain::<Fq>(|x| vec![x.0]);
        chain::<Fq2>(|x| x.0.to_vec());
    }
}
