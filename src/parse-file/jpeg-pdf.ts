import type { JpegFrame } from '#src/images/header.ts';

const COLOURS: Record<number, string> = { 1: 'DeviceGray', 3: 'DeviceRGB', 4: 'DeviceCMYK' };

/** A PDF whose only page is this JPEG, one point a pixel; undefined for colours that none has. */
export function jpegAsPdf(jpeg: Uint8Array, { width, height, channels }: JpegFrame): Uint8Array | undefined {
  const colours = COLOURS[channels];
  if (!colours) return undefined;
  const encoder = new TextEncoder();
  const show = `${width} 0 0 ${height} 0 0 cm /I Do`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>`,
    `<< /Length ${show.length} >>\nstream\n${show}\nendstream`,
    `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /${colours} /BitsPerComponent 8 /Filter /DCTDecode /Length ${jpeg.length} >>\nstream\n`,
  ];
  let head = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = head.length;
    head += `${index + 1} 0 obj\n${object}${index < objects.length - 1 ? '\nendobj\n' : ''}`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const end = '\nendstream\nendobj\n';
  const start = head.length + jpeg.length + end.length;
  const tail = `${end}xref\n0 6\n0000000000 65535 f \n${offsets.join('')}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  const file = new Uint8Array(head.length + jpeg.length + tail.length);
  file.set(encoder.encode(head));
  file.set(jpeg, head.length);
  file.set(encoder.encode(tail), head.length + jpeg.length);
  return file;
}
