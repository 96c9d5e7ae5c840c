;; A function of WebAssembly that asks a function of JavaScript. Only functions of WebAssembly can stand in PDFium's
;; table, where it looks for the callback that says whether drawing is to pause.
;; Build: wat2wasm ask-pause.wat -o ask-pause.wasm
(module
  (import "e" "p" (func $ask (param i32) (result i32)))
  (export "p" (func $ask)))
