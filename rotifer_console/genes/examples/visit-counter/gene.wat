;; Counts how often its agent has run it, up to 999, and gives {"visits": n}.
;;
;; This is the source of gene.wasm, which is what runs. After a change build it anew:
;;   python -c "import wasmtime as w; open('gene.wasm', 'wb').write(w.wat2wasm(open('gene.wat').read()))"
(module
  ;; A memory call takes a request in JSON and the place for its answer; it gives the answer's length, or a
  ;; negative number where it was refused.
  (import "rotifer" "readMemory" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "rotifer" "writeMemory" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)

  ;; Genes of an agent share its keys: one that begins with the domain collides with no other gene's.
  (data (i32.const 0) "{\22key\22:\22visits/count\22}")
  (data (i32.const 64) "{\22key\22:\22visits/count\22,\22category\22:\22PATTERN\22,\22value\22:\22MDAw\22}")
  (data (i32.const 192) "\22value\22:\22")
  (data (i32.const 256) "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  (data (i32.const 384) "{\22visits\22:")
  (global $new_value i32 (i32.const 116)) ;; where the request to write has its four letters of base64
  (global $answer i32 (i32.const 1024))
  (global $answer_room i32 (i32.const 2048))
  (global $input i32 (i32.const 4096))

  ;; Where the input goes. The memory grows to hold it, should it be long.
  (func (export "alloc") (param $length i32) (result i32)
    (drop (memory.grow (i32.shr_u (local.get $length) (i32.const 16))))
    (global.get $input))

  ;; The input is not looked at. What comes back is the place of a text that ends with a zero, or the number of
  ;; the call that was refused.
  (func (export "express") (param $input i32) (param $length i32) (result i32)
    (local $number i32) (local $visits i32)
    (local.set $number
      (call $read (i32.const 0) (i32.const 22) (global.get $answer) (global.get $answer_room)))
    (if (i32.lt_s (local.get $number) (i32.const 0)) (then (return (local.get $number))))
    (if (i32.ne (local.get $number) (i32.const 4)) ;; else it is null: nothing was remembered
      (then (local.set $visits (call $decode (call $value_in_answer)))))
    (if (i32.lt_u (local.get $visits) (i32.const 999))
      (then (local.set $visits (i32.add (local.get $visits) (i32.const 1)))))
    (call $encode (local.get $visits) (global.get $new_value))
    (local.set $number
      (call $write (i32.const 64) (i32.const 58) (global.get $answer) (global.get $answer_room)))
    (if (i32.lt_s (local.get $number) (i32.const 0)) (then (return (local.get $number))))
    (call $output (local.get $visits)))

  ;; The place of the value's first letter: behind the member's name, which the answer has once.
  (func $value_in_answer (result i32)
    (local $at i32)
    (local.set $at (global.get $answer))
    (loop $seek
      (if (i64.ne (i64.load (local.get $at)) (i64.load (i32.const 192))) ;; eight letters: "value":
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $seek))))
    (i32.add (local.get $at) (i32.const 9)))

  ;; A value is bytes, in base64: here always three digits, which are four letters.
  (func $decode (param $at i32) (result i32)
    (local $bits i32) (local $end i32)
    (local.set $end (i32.add (local.get $at) (i32.const 4)))
    (loop $letter
      (local.set $bits
        (i32.or (i32.shl (local.get $bits) (i32.const 6)) (call $sextet (i32.load8_u (local.get $at)))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $letter (i32.lt_u (local.get $at) (local.get $end))))
    (i32.add
      (i32.add
        (i32.mul (call $digit (local.get $bits) (i32.const 16)) (i32.const 100))
        (i32.mul (call $digit (local.get $bits) (i32.const 8)) (i32.const 10)))
      (call $digit (local.get $bits) (i32.const 0))))

  (func $digit (param $bits i32) (param $shift i32) (result i32)
    (i32.sub
      (i32.and (i32.shr_u (local.get $bits) (local.get $shift)) (i32.const 255))
      (i32.const 48)))

  (func $sextet (param $letter i32) (result i32)
    (local $found i32)
    (loop $seek
      (if (i32.ne (i32.load8_u offset=256 (local.get $found)) (local.get $letter))
        (then
          (local.set $found (i32.add (local.get $found) (i32.const 1)))
          (br $seek))))
    (local.get $found))

  (func $encode (param $number i32) (param $at i32)
    (local $bits i32) (local $shift i32)
    (local.set $bits
      (i32.or
        (i32.or
          (i32.shl (call $character (local.get $number) (i32.const 100)) (i32.const 16))
          (i32.shl (call $character (local.get $number) (i32.const 10)) (i32.const 8)))
        (call $character (local.get $number) (i32.const 1))))
    (local.set $shift (i32.const 24))
    (loop $letter
      (local.set $shift (i32.sub (local.get $shift) (i32.const 6)))
      (i32.store8 (local.get $at)
        (i32.load8_u offset=256
          (i32.and (i32.shr_u (local.get $bits) (local.get $shift)) (i32.const 63))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $letter (local.get $shift))))

  (func $character (param $number i32) (param $place i32) (result i32)
    (i32.add (i32.const 48) (i32.rem_u (i32.div_u (local.get $number) (local.get $place)) (i32.const 10))))

  ;; {"visits":n} with a zero behind it, in place of the answer. JSON has no zeros in front of a number.
  (func $output (param $visits i32) (result i32)
    (local $at i32) (local $place i32)
    (memory.copy (global.get $answer) (i32.const 384) (i32.const 10))
    (local.set $at (i32.add (global.get $answer) (i32.const 10)))
    (local.set $place (i32.const 100))
    (loop $next
      (if (i32.ge_u (local.get $visits) (local.get $place))
        (then
          (i32.store8 (local.get $at) (call $character (local.get $visits) (local.get $place)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))))
      (local.set $place (i32.div_u (local.get $place) (i32.const 10)))
      (br_if $next (local.get $place)))
    (i32.store16 (local.get $at) (i32.const 0x007d)) ;; } and the zero
    (global.get $answer)))
