/** The part of the package that makes codes: the rest of it draws them as PNG and on terminals, in 50 modules. */
declare module 'qrcode/lib/core/qrcode.js' {
  export { create } from 'qrcode';
}
