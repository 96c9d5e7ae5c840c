import { z } from 'zod';

export const boundingBox = z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() });

/** A citation in the format of extraction results. */
export const citation = z
  .object({
    page: z.number().int().min(1).describe('Page number, from 1.'),
    matching_text: z.string().describe('Cited text of the page.'),
    bounding_boxes: z
      .array(boundingBox)
      .optional()
      .describe('Bounding box of each printed line, in points from the upper left corner of the page.'),
    page_dimensions: z
      .object({ width: z.number(), height: z.number() })
      .optional()
      .describe('Size of the page image in points.'),
  })
  .meta({ id: 'Citation' });
