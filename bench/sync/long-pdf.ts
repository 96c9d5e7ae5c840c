/** Builds a PDF with the given number of pages, each with a heading and about 300 words. */
export function longPdf(pages: number): Uint8Array<ArrayBuffer> {
  const objects: string[] = [];
  const kids = Array.from({ length: pages }, (_, n) => `${4 + 2 * n} 0 R`).join(' ');
  objects[1] = '<< /Type /Catalog /Pages 2 0 R >>';
  objects[2] = `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`;
  objects[3] = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
  for (let n = 0; n < pages; n += 1) {
    const lines = Array.from(
      { length: 40 },
      (_, line) => `(Page ${n + 1}, line ${line + 1}: the keeper writes down oil, wind and ships.) Tj T*`,
    );
    const stream = `BT /F1 18 Tf 60 770 Td (Section ${n + 1}) Tj /F1 10 Tf 0 -30 Td 16 TL ${lines.join('\n')} ET`;
    objects[4 + 2 * n] =
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * n} 0 R >>`;
    objects[5 + 2 * n] = `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`;
  }
  let file = '%PDF-1.4\n';
  const offsets: number[] = [];
  for (let id = 1; id < objects.length; id += 1) {
    offsets[id] = file.length;
    file += `${id} 0 obj\n${objects[id]}\nendobj\n`;
  }
  const start = file.length;
  const entries = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  file += `xref\n0 ${objects.length}\n0000000000 65535 f \n${entries.join('')}`;
  file += `trailer\n<< /Size ${objects.length} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return new TextEncoder().encode(file);
}
