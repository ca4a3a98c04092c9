package limit

// draws is a generator of the kind called SplitMix64, from Steele, Lea and
// Flood, "Fast Splittable Pseudorandom Number Generators". Its state is its
// seed, any of which will do.
type draws uint64

// between returns a number from low up to high.
func (d *draws) between(low, high float64) float64 {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return low + float64((high-low)*(float64(z>>11)/(1<<53)))
}
