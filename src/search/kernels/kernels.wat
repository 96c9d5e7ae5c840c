;; Inner loops of a search shard. Addresses are byte offsets into the imported memory, whose layout is defined in
;; memory.ts. kernels-plain.ts implements the same functions in TypeScript. The tests compare both bit by bit.
(module
  (import "env" "memory" (memory 1))

  ;; Computes scores[i] = scales[i] * (query . codes[i] - correction) for i < count. Processes four vectors at a time,
  ;; so count is rounded up to a multiple of 4. The query consists of signed bytes and codes are 0..127. Within these
  ;; bounds the relaxed dot product gives the same sums on every processor. stride is the size of a code in bytes, a
  ;; multiple of 64.
  (func (export "scan")
    (param $query i32) (param $codes i32) (param $scales i32) (param $scores i32)
    (param $count i32) (param $stride i32) (param $correction i32)
    (local $end i32) (local $offset i32) (local $at i32) (local $q v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $end (i32.add (local.get $scores) (i32.shl (local.get $count) (i32.const 2))))
    (loop $vectors
      (if (i32.ge_u (local.get $scores) (local.get $end)) (then (return)))
      (local.set $a (v128.const i32x4 0 0 0 0))
      (local.set $b (v128.const i32x4 0 0 0 0))
      (local.set $c (v128.const i32x4 0 0 0 0))
      (local.set $d (v128.const i32x4 0 0 0 0))
      (local.set $offset (i32.const 0))
      (loop $bytes
        (local.set $at (i32.add (local.get $query) (local.get $offset)))
        (local.set $a (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load (local.get $at)) (v128.load (local.get $codes)) (local.get $a)))
        (local.set $q (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $codes)) (local.get $q)))
        (local.set $a (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load offset=32 (local.get $at)) (v128.load offset=32 (local.get $codes)) (local.get $a)))
        (local.set $q (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load offset=48 (local.get $at)) (v128.load offset=48 (local.get $codes)) (local.get $q)))
        (local.set $codes (i32.add (local.get $codes) (i32.const 64)))
        (local.set $offset (i32.add (local.get $offset) (i32.const 64)))
        (br_if $bytes (i32.lt_u (local.get $offset) (local.get $stride))))
      (local.set $a (i32x4.add (local.get $a) (local.get $q)))
      (local.set $q (v128.const i32x4 0 0 0 0))
      (local.set $offset (i32.const 0))
      (loop $bytes
        (local.set $at (i32.add (local.get $query) (local.get $offset)))
        (local.set $b (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load (local.get $at)) (v128.load (local.get $codes)) (local.get $b)))
        (local.set $q (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $codes)) (local.get $q)))
        (local.set $b (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load offset=32 (local.get $at)) (v128.load offset=32 (local.get $codes)) (local.get $b)))
        (local.set $q (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load offset=48 (local.get $at)) (v128.load offset=48 (local.get $codes)) (local.get $q)))
        (local.set $codes (i32.add (local.get $codes) (i32.const 64)))
        (local.set $offset (i32.add (local.get $offset) (i32.const 64)))
        (br_if $bytes (i32.lt_u (local.get $offset) (local.get $stride))))
      (local.set $b (i32x4.add (local.get $b) (local.get $q)))
      (local.set $q (v128.const i32x4 0 0 0 0))
      (local.set $offset (i32.const 0))
      (loop $bytes
        (local.set $at (i32.add (local.get $query) (local.get $offset)))
        (local.set $c (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load (local.get $at)) (v128.load (local.get $codes)) (local.get $c)))
        (local.set $q (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $codes)) (local.get $q)))
        (local.set $c (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load offset=32 (local.get $at)) (v128.load offset=32 (local.get $codes)) (local.get $c)))
        (local.set $q (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load offset=48 (local.get $at)) (v128.load offset=48 (local.get $codes)) (local.get $q)))
        (local.set $codes (i32.add (local.get $codes) (i32.const 64)))
        (local.set $offset (i32.add (local.get $offset) (i32.const 64)))
        (br_if $bytes (i32.lt_u (local.get $offset) (local.get $stride))))
      (local.set $c (i32x4.add (local.get $c) (local.get $q)))
      (local.set $q (v128.const i32x4 0 0 0 0))
      (local.set $offset (i32.const 0))
      (loop $bytes
        (local.set $at (i32.add (local.get $query) (local.get $offset)))
        (local.set $d (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load (local.get $at)) (v128.load (local.get $codes)) (local.get $d)))
        (local.set $q (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $codes)) (local.get $q)))
        (local.set $d (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load offset=32 (local.get $at)) (v128.load offset=32 (local.get $codes)) (local.get $d)))
        (local.set $q (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load offset=48 (local.get $at)) (v128.load offset=48 (local.get $codes)) (local.get $q)))
        (local.set $codes (i32.add (local.get $codes) (i32.const 64)))
        (local.set $offset (i32.add (local.get $offset) (i32.const 64)))
        (br_if $bytes (i32.lt_u (local.get $offset) (local.get $stride))))
      (local.set $d (i32x4.add (local.get $d) (local.get $q)))
      (local.set $q (v128.const i32x4 0 0 0 0))
      ;; Sum the four lanes of a, b, c and d into one vector of four sums.
      (local.set $a (i32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
      (local.set $c (i32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
      (local.set $a (i32x4.add
        (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $c))
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $c))))
      (v128.store (local.get $scores)
        (f32x4.mul
          (f32x4.convert_i32x4_s (i32x4.sub (local.get $a) (i32x4.splat (local.get $correction))))
          (v128.load (local.get $scales))))
      (local.set $scores (i32.add (local.get $scores) (i32.const 16)))
      (local.set $scales (i32.add (local.get $scales) (i32.const 16)))
      (br $vectors)))

  ;; Like scan, but only for the vectors listed in ids (16 bits each). scores[i] is the score of ids[i].
  (func (export "scanListed")
    (param $query i32) (param $codes i32) (param $scales i32) (param $scores i32)
    (param $ids i32) (param $count i32) (param $stride i32) (param $correction i32)
    (local $end i32) (local $id i32) (local $code i32) (local $offset i32) (local $a v128)
    (local.set $end (i32.add (local.get $ids) (i32.shl (local.get $count) (i32.const 1))))
    (loop $vectors
      (if (i32.ge_u (local.get $ids) (local.get $end)) (then (return)))
      (local.set $id (i32.load16_u (local.get $ids)))
      (local.set $code (i32.add (local.get $codes) (i32.mul (local.get $id) (local.get $stride))))
      (local.set $a (v128.const i32x4 0 0 0 0))
      (local.set $offset (i32.const 0))
      (loop $bytes
        (local.set $a (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.load (i32.add (local.get $query) (local.get $offset)))
          (v128.load (i32.add (local.get $code) (local.get $offset)))
          (local.get $a)))
        (local.set $offset (i32.add (local.get $offset) (i32.const 16)))
        (br_if $bytes (i32.lt_u (local.get $offset) (local.get $stride))))
      (f32.store (local.get $scores)
        (f32.mul
          (f32.convert_i32_s
            (i32.sub
              (i32.add
                (i32.add (i32x4.extract_lane 0 (local.get $a)) (i32x4.extract_lane 1 (local.get $a)))
                (i32.add (i32x4.extract_lane 2 (local.get $a)) (i32x4.extract_lane 3 (local.get $a))))
              (local.get $correction)))
          (f32.load (i32.add (local.get $scales) (i32.shl (local.get $id) (i32.const 2))))))
      (local.set $scores (i32.add (local.get $scores) (i32.const 4)))
      (local.set $ids (i32.add (local.get $ids) (i32.const 2)))
      (br $vectors)))

  ;; Adds one term's BM25 scores: scores[id] += weight * frequency / (frequency + norms[id]) for each posting.
  (func (export "addTerm")
    (param $ids i32) (param $frequencies i32) (param $count i32)
    (param $norms i32) (param $scores i32) (param $weight f32)
    (local $end i32) (local $at i32) (local $score i32) (local $frequency f32)
    (local.set $end (i32.add (local.get $frequencies) (local.get $count)))
    (loop $postings
      (if (i32.ge_u (local.get $frequencies) (local.get $end)) (then (return)))
      (local.set $at (i32.shl (i32.load16_u (local.get $ids)) (i32.const 2)))
      (local.set $score (i32.add (local.get $scores) (local.get $at)))
      (local.set $frequency (f32.convert_i32_u (i32.load8_u (local.get $frequencies))))
      (f32.store (local.get $score)
        (f32.add
          (f32.load (local.get $score))
          (f32.div
            (f32.mul (local.get $weight) (local.get $frequency))
            (f32.add (local.get $frequency) (f32.load (i32.add (local.get $norms) (local.get $at)))))))
      (local.set $ids (i32.add (local.get $ids) (i32.const 2)))
      (local.set $frequencies (i32.add (local.get $frequencies) (i32.const 1)))
      (br $postings)))

  ;; Adds one term's scores in an index with learned weights: scores[id] += weight * frequency * scales[id] for each
  ;; posting.
  (func (export "addWeighted")
    (param $ids i32) (param $frequencies i32) (param $count i32)
    (param $scales i32) (param $scores i32) (param $weight f32)
    (local $end i32) (local $at i32) (local $score i32)
    (local.set $end (i32.add (local.get $frequencies) (local.get $count)))
    (loop $postings
      (if (i32.ge_u (local.get $frequencies) (local.get $end)) (then (return)))
      (local.set $at (i32.shl (i32.load16_u (local.get $ids)) (i32.const 2)))
      (local.set $score (i32.add (local.get $scores) (local.get $at)))
      (f32.store (local.get $score)
        (f32.add
          (f32.load (local.get $score))
          (f32.mul
            (f32.mul (local.get $weight) (f32.convert_i32_u (i32.load8_u (local.get $frequencies))))
            (f32.load (i32.add (local.get $scales) (local.get $at))))))
      (local.set $ids (i32.add (local.get $ids) (i32.const 2)))
      (local.set $frequencies (i32.add (local.get $frequencies) (i32.const 1)))
      (br $postings)))

  ;; Returns how many of the ids have their bit set in mask.
  (func (export "countListed") (param $ids i32) (param $count i32) (param $mask i32) (result i32)
    (local $end i32) (local $id i32) (local $found i32)
    (local.set $end (i32.add (local.get $ids) (i32.shl (local.get $count) (i32.const 1))))
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $ids) (local.get $end)))
        (local.set $id (i32.load16_u (local.get $ids)))
        (local.set $found
          (i32.add
            (local.get $found)
            (i32.and
              (i32.shr_u
                (i32.load8_u (i32.add (local.get $mask) (i32.shr_u (local.get $id) (i32.const 3))))
                (i32.and (local.get $id) (i32.const 7)))
              (i32.const 1))))
        (local.set $ids (i32.add (local.get $ids) (i32.const 2)))
        (br $each)))
    (local.get $found))

  ;; Replaces the root of a min-heap of size values by value and restores the heap order.
  (func $replaceRoot (param $heap i32) (param $size i32) (param $value f32)
    (local $at i32) (local $child i32) (local $smaller f32)
    (block $placed
      (loop $down
        (local.set $child (i32.add (i32.shl (local.get $at) (i32.const 1)) (i32.const 1)))
        (br_if $placed (i32.ge_u (local.get $child) (local.get $size)))
        (local.set $smaller (f32.load (i32.add (local.get $heap) (i32.shl (local.get $child) (i32.const 2)))))
        (if (i32.lt_u (i32.add (local.get $child) (i32.const 1)) (local.get $size))
          (then
            (if (f32.lt
                  (f32.load offset=4 (i32.add (local.get $heap) (i32.shl (local.get $child) (i32.const 2))))
                  (local.get $smaller))
              (then
                (local.set $child (i32.add (local.get $child) (i32.const 1)))
                (local.set $smaller
                  (f32.load (i32.add (local.get $heap) (i32.shl (local.get $child) (i32.const 2)))))))))
        (br_if $placed (f32.ge (local.get $smaller) (local.get $value)))
        (f32.store (i32.add (local.get $heap) (i32.shl (local.get $at) (i32.const 2))) (local.get $smaller))
        (local.set $at (local.get $child))
        (br $down)))
    (f32.store (i32.add (local.get $heap) (i32.shl (local.get $at) (i32.const 2))) (local.get $value)))

  ;; Returns the k-th highest score that is above floor and whose bit is set in mask, or floor if there are fewer than
  ;; k. heap is scratch space for k numbers. count is rounded up to a multiple of 32, and mask bits beyond count must
  ;; be 0.
  (func (export "threshold")
    (param $scores i32) (param $mask i32) (param $count i32) (param $k i32) (param $floor f32) (param $heap i32)
    (result f32)
    (local $word i32) (local $end i32) (local $group i32) (local $bits i32) (local $bound f32)
    (local $i i32) (local $score f32)
    ;; The heap starts with k copies of floor, so its root is always the current answer.
    (loop $fill
      (if (i32.lt_u (local.get $i) (local.get $k))
        (then
          (f32.store (i32.add (local.get $heap) (i32.shl (local.get $i) (i32.const 2))) (local.get $floor))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $fill))))
    (local.set $bound (local.get $floor))
    (local.set $end (i32.add (local.get $scores) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $words
        (br_if $done (i32.ge_u (local.get $scores) (local.get $end)))
        (local.set $word (i32.load (local.get $mask)))
        (local.set $group (local.get $scores))
        (loop $groups
          (if (local.get $word)
            (then
              (local.set $bits
                (i32.and
                  (i32x4.bitmask (f32x4.gt (v128.load (local.get $group)) (f32x4.splat (local.get $bound))))
                  (local.get $word)))
              (loop $lanes
                (if (local.get $bits)
                  (then
                    (local.set $score
                      (f32.load (i32.add (local.get $group) (i32.shl (i32.ctz (local.get $bits)) (i32.const 2)))))
                    (if (f32.gt (local.get $score) (local.get $bound))
                      (then
                        (call $replaceRoot (local.get $heap) (local.get $k) (local.get $score))
                        (local.set $bound (f32.load (local.get $heap)))))
                    (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
                    (br $lanes))))
              (local.set $word (i32.shr_u (local.get $word) (i32.const 4)))
              (local.set $group (i32.add (local.get $group) (i32.const 16)))
              (br $groups))))
        (local.set $scores (i32.add (local.get $scores) (i32.const 128)))
        (local.set $mask (i32.add (local.get $mask) (i32.const 4)))
        (br $words)))
    (local.get $bound))

  ;; Writes the indices (16 bits each) of the scores in mask that are above floor and at least bound. Returns their
  ;; number.
  (func (export "collect")
    (param $scores i32) (param $mask i32) (param $count i32) (param $floor f32) (param $bound f32) (param $found i32)
    (result i32)
    (local $start i32) (local $first i32) (local $word i32) (local $group i32) (local $index i32) (local $bits i32)
    (local $v v128)
    (local.set $start (local.get $found))
    (block $done
      (loop $words
        (br_if $done (i32.ge_u (local.get $first) (local.get $count)))
        (local.set $word (i32.load (local.get $mask)))
        (local.set $group (local.get $scores))
        (local.set $index (local.get $first))
        (loop $groups
          (if (local.get $word)
            (then
              (local.set $v (v128.load (local.get $group)))
              (local.set $bits
                (i32.and
                  (i32x4.bitmask
                    (v128.and
                      (f32x4.gt (local.get $v) (f32x4.splat (local.get $floor)))
                      (f32x4.ge (local.get $v) (f32x4.splat (local.get $bound)))))
                  (local.get $word)))
              (loop $lanes
                (if (local.get $bits)
                  (then
                    (i32.store16 (local.get $found) (i32.add (local.get $index) (i32.ctz (local.get $bits))))
                    (local.set $found (i32.add (local.get $found) (i32.const 2)))
                    (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
                    (br $lanes))))
              (local.set $word (i32.shr_u (local.get $word) (i32.const 4)))
              (local.set $group (i32.add (local.get $group) (i32.const 16)))
              (local.set $index (i32.add (local.get $index) (i32.const 4)))
              (br $groups))))
        (local.set $scores (i32.add (local.get $scores) (i32.const 128)))
        (local.set $mask (i32.add (local.get $mask) (i32.const 4)))
        (local.set $first (i32.add (local.get $first) (i32.const 32)))
        (br $words)))
    (i32.shr_u (i32.sub (local.get $found) (local.get $start)) (i32.const 1)))
)
