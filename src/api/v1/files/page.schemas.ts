import { z } from 'zod';

export const boundingBox = z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() });

/** A citation in the format of extraction results. */
export const citation = z
  .object({
    page: z.number().int().min(1).describe('From 1.'),
    matching_text: z.string().describe('What is cited of the page.'),
    bounding_boxes: z
      .array(boundingBox)
      .optional()
      .describe('A box for each line of print, in points from the page’s upper left corner.'),
    page_dimensions: z
      .object({ width: z.number(), height: z.number() })
      .optional()
      .describe('Of the page as its picture shows it, in points.'),
  })
  .meta({ id: 'Citation' });
