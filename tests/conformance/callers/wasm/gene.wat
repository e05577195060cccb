;; A gene that makes the memory call its input names and tells what came of it.
;;
;; The input is {"call":N,"request":R} without a blank: N is 0 to 3 for read, write, query and delete, and R is
;; passed on as it stands. The output is [number, what stands in `out`]. The first `out` has 400 bytes; where the
;; answer is that it has no room, the call is made again with eight times as many, as the rules let a gene do.
;; A byte behind `out` must stay, and where there was no room `out` must stay too: the gene traps if not.
(module
  (import "rotifer" "readMemory" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "rotifer" "writeMemory" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "rotifer" "queryMemory" (func $query (param i32 i32 i32 i32) (result i32)))
  (import "rotifer" "deleteMemory" (func $delete (param i32 i32 i32 i32) (result i32)))
  (type $call (func (param i32 i32 i32 i32) (result i32)))
  (table funcref (elem $read $write $query $delete))
  (memory (export "memory") 1)

  (global $input i32 (i32.const 1024))
  (global $guard i32 (i32.const 0x7f))

  ;; Room up to an address.
  (func $reach (param $end i32)
    (local $pages i32)
    (local.set $pages (i32.add (i32.shr_u (local.get $end) (i32.const 16)) (i32.const 1)))
    (if (i32.gt_u (local.get $pages) (memory.size))
      (then
        (if (i32.lt_s (memory.grow (i32.sub (local.get $pages) (memory.size))) (i32.const 0))
          (then unreachable)))))

  (func (export "alloc") (param $length i32) (result i32)
    (call $reach (i32.add (global.get $input) (local.get $length)))
    (global.get $input))

  (func (export "express") (param $input i32) (param $length i32) (result i64)
    (local $out i32) (local $capacity i32) (local $end i32) (local $number i32) (local $left i32) (local $at i32)
    ;; sixteen bytes before `out` are for the number
    (local.set $out (i32.add (i32.add (local.get $input) (local.get $length)) (i32.const 16)))
    (local.set $capacity (i32.const 400))
    (block $called
      (loop $again
        (local.set $end (i32.add (local.get $out) (local.get $capacity)))
        (call $reach (i32.add (local.get $end) (i32.const 8)))
        (memory.fill (local.get $out) (i32.const 0) (local.get $capacity))
        (i32.store8 (local.get $end) (global.get $guard))
        (local.set $number
          (call_indirect (type $call)
            (i32.add (local.get $input) (i32.const 20))
            (i32.sub (local.get $length) (i32.const 21))
            (local.get $out)
            (local.get $capacity)
            (i32.sub (i32.load8_u (i32.add (local.get $input) (i32.const 8))) (i32.const 48))))
        (if (i32.ne (i32.load8_u (local.get $end)) (global.get $guard)) (then unreachable))
        (br_if $called (i32.ne (local.get $number) (i32.const -1)))
        (if (i32.load8_u (local.get $out)) (then unreachable))
        (local.set $capacity (i32.shl (local.get $capacity) (i32.const 3)))
        (br $again)))

    ;; where `out` ends
    (if (i32.ge_s (local.get $number) (i32.const 0))
      (then (local.set $end (i32.add (local.get $out) (local.get $number))))
      (else
        (local.set $end (local.get $out))
        (block $found
          (loop $seek
            (br_if $found (i32.eqz (i32.load8_u (local.get $end))))
            (br_if $found (i32.eq (local.get $end) (i32.add (local.get $out) (local.get $capacity))))
            (local.set $end (i32.add (local.get $end) (i32.const 1)))
            (br $seek)))
        (if (i32.eq (local.get $end) (local.get $out))
          (then ;; no body
            (i32.store (local.get $out) (i32.const 0x6c6c756e)) ;; null
            (local.set $end (i32.add (local.get $out) (i32.const 4)))))))
    (i32.store8 (local.get $end) (i32.const 93)) ;; ]

    ;; the number and what goes around it, from the right
    (local.set $at (i32.sub (local.get $out) (i32.const 1)))
    (i32.store8 (local.get $at) (i32.const 44)) ;; ,
    (local.set $left (local.get $number))
    (if (i32.lt_s (local.get $left) (i32.const 0))
      (then (local.set $left (i32.sub (i32.const 0) (local.get $left)))))
    (loop $digit
      (local.set $at (i32.sub (local.get $at) (i32.const 1)))
      (i32.store8 (local.get $at) (i32.add (i32.const 48) (i32.rem_u (local.get $left) (i32.const 10))))
      (local.set $left (i32.div_u (local.get $left) (i32.const 10)))
      (br_if $digit (local.get $left)))
    (if (i32.lt_s (local.get $number) (i32.const 0))
      (then
        (local.set $at (i32.sub (local.get $at) (i32.const 1)))
        (i32.store8 (local.get $at) (i32.const 45)))) ;; -
    (local.set $at (i32.sub (local.get $at) (i32.const 1)))
    (i32.store8 (local.get $at) (i32.const 91)) ;; [

    (i64.or
      (i64.shl (i64.extend_i32_u (local.get $at)) (i64.const 32))
      (i64.extend_i32_u (i32.add (i32.sub (local.get $end) (local.get $at)) (i32.const 1))))))
