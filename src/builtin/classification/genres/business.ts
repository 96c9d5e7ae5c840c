import { type Genre, words } from './genre.ts';

/** Papers of trade, work and everyday dealings. */
export const BUSINESS: Genre[] = [
  {
    id: 'invoice',
    rule: /\b(invoices?|bills?|rechnung|facture|factuur|faktura)\b/,
    cues: [
      [
        words(
          '(?:tax |sales |commercial |proforma )?invoice|factuur|facture|rechnung|\\p{L}*rechnung|faktura(?: vat)?|factura|fattura',
        ),
        2,
      ],
      [
        words(
          'invoice (?:number|no\\.?|#|date)|factuurnummer|factuurdatum|rechnungs(?:nummer|nr\\.?|datum)|n° (?:de )?facture|date de facture|numer faktury|handelsrechnung',
        ),
        2.5,
      ],
      [
        words(
          'bill to|due date|payment terms|amount due|vervaldatum|zahlungsbedingungen|zahlungsziel|fällig|échéance|termin płatności',
        ),
        1,
      ],
      [
        words('vat|mwst|ust|umsatzsteuer|btw|tva|gst|netto|brutto|subtotal|total (?:ht|ttc)|podatek|total'),
        0.7,
      ],
      [words('iban|bic|swift|bank account|kontonummer'), 0.6],
      [words('quantity|unit price|menge|einzelpreis|aantal|prijs|quantité|prix|ilość|cena'), 0.6],
    ],
  },
  {
    id: 'receipt',
    rule: /\b(receipts?|till slip|kassenbon|bon|ticket de caisse|paragon)\b/,
    cues: [
      [words('receipt|kassenbon|kassabon|bon de caisse|paragon(?: fiskalny)?|quittung|ticket'), 1.5],
      [
        words(
          'cash|change(?: due)?|card|visa|mastercard|debit|contactless|pin|maestro|eft|gegeben|rückgeld|wisselgeld|bargeld|espèces|gotówka|reszta',
        ),
        1,
      ],
      [
        words(
          'thank you(?: for (?:shopping|your visit|your purchase))?|cashier|till|terminal|register|approved|auth(?:orization)? code|vielen dank|bedankt|merci de votre visite|server|table',
        ),
        1.2,
      ],
      [words('sub ?total|total|tax'), 0.4],
      [/\b\d{1,2}:\d{2}(?::\d{2})?\s?(?:[AP]M)?\b/, 0.3],
    ],
  },
  {
    id: 'purchase_order',
    rule: /\b(purchase orders?|order confirmation|bestellung|bestelbon|bon de commande)\b/,
    cues: [
      [
        words(
          'purchase order|po number|order confirmation|bestellung|auftragsbestätigung|bestelbon|orderbevestiging|bon de commande|zamówienie',
        ),
        2.5,
      ],
      [words('ship to|deliver(?:y)? (?:to|date)|buyer|vendor|quantity|unit price'), 0.7],
    ],
  },
  {
    id: 'bank_statement',
    rule: /\b(bank statements?|account statements?|kontoauszug|rekeningafschrift|releve)\b/,
    cues: [
      [
        words(
          'bank statement|account statement|statement period|kontoauszug|rekeningafschrift|relevé de compte|wyciąg bankowy',
        ),
        2.5,
      ],
      [words('opening balance|closing balance|balance|deposits|withdrawals|debit|credit|saldo|solde'), 1],
    ],
  },
  {
    id: 'payslip',
    rule: /\b(pay ?slips?|pay ?stubs?|payroll|lohnabrechnung|loonstrook|salary statement)\b/,
    cues: [
      [
        words(
          'pay ?slip|pay ?stub|earnings statement|lohnabrechnung|gehaltsabrechnung|loonstrook|bulletin de paie|gross pay|net pay|employee id|year to date|ytd',
        ),
        2,
      ],
    ],
  },
  {
    id: 'agreement_nda',
    rule: /\b(nda|non disclosure|confidentiality|geheimhaltung\w*|geheimhouding\w*)\b/,
    cues: [
      [
        words(
          'non-?disclosure agreement|confidentiality agreement|nda|geheimhaltungsvereinbarung|geheimhoudingsovereenkomst|accord de confidentialité|umowa o poufności',
        ),
        3,
      ],
      [
        words(
          'confidential information|evaluation material|proprietary information|vertrauliche informationen|informations confidentielles',
        ),
        2,
      ],
      [words('disclosing party|receiving party|recipient|representatives|disclose'), 1.3],
      [
        words('hereby|hereto|hereunder|hereof|whereas|thereof|shall not|in witness whereof|governing law'),
        0.7,
      ],
    ],
  },
  {
    id: 'contract',
    rule: /\b(contracts?|agreements?|lease|vertrag|contrat|overeenkomst|umowa)\b/,
    cues: [
      [
        words(
          '(?:service |lease |employment |purchase |license )?agreement|contract|vertrag|contrat|overeenkomst|umowa',
        ),
        1.5,
      ],
      [
        words(
          'hereby|hereto|hereunder|whereas|in witness whereof|party of the first part|the parties|die parteien|les parties|strony',
        ),
        1.2,
      ],
      [
        words(
          'governing law|termination|indemnif\\p{L}+|effective date|term of this agreement|severability|assignment',
        ),
        1,
      ],
    ],
  },
  {
    id: 'policy',
    rule: /\b(polic(y|ies)|terms of (service|use)|privacy)\b/,
    cues: [
      [
        words(
          'privacy policy|terms of (?:service|use)|terms and conditions|code of conduct|this policy|personal data|cookies|datenschutzerklärung|agb',
        ),
        1.8,
      ],
    ],
  },
  {
    id: 'letter',
    rule: /\b(letters?|correspondence|brief)\b/,
    cues: [
      [/^[ \t\u00a0]*(?:dear|sehr geehrte\p{L}*|geachte|madame|monsieur|cher|chère|szanown\p{L}+)\b/imu, 1.5],
      [
        words(
          'sincerely|yours (?:faithfully|truly)|kind regards|best regards|mit freundlichen grüßen|met vriendelijke groet|cordialement|z poważaniem',
        ),
        1.5,
      ],
    ],
  },
  {
    id: 'minutes',
    rule: /\b(minutes|meeting notes|protokoll|notulen)\b/,
    cues: [
      [
        words(
          'minutes of (?:the )?|meeting minutes|attendees|present:|apologies|action items|agenda|adjourned|notulen|protokoll der sitzung|procès-verbal',
        ),
        1.5,
      ],
    ],
  },
  {
    id: 'resume',
    rule: /\b(resumes?|cvs?|curriculum|lebenslauf)\b/,
    cues: [
      [words('curriculum vitae|résumé|resume|lebenslauf|cv'), 2],
      [
        words(
          'work experience|professional experience|employment history|experience|berufserfahrung|werkervaring|expérience professionnelle|doświadczenie zawodowe',
        ),
        1.2,
      ],
      [
        words(
          'education|bachelor|master|b\\.?sc|m\\.?sc|university|ausbildung|opleiding|formation|wykształcenie',
        ),
        0.8,
      ],
      [
        words(
          'skills|technical skills|languages|certifications|references available|hobbies|objective|professional summary|kenntnisse|vaardigheden|compétences|umiejętności',
        ),
        1,
      ],
      [/linkedin\.com|github\.com\/\w+/i, 0.6],
      [/\b(?:19|20)\d{2}\s*[-–—]\s*(?:(?:19|20)\d{2}\b|present|current|now|today|heute|heden|aujourd)/i, 0.9],
    ],
  },
  {
    id: 'email',
    rule: /\b(e ?mails?|mail messages?)\b/,
    extensions: ['eml', 'msg'],
    cues: [
      [/^(?:\**)?(?:from|von|van|de|od)(?:\**)?:.*(?:@|\S)/im, 1.3],
      [/^(?:\**)?(?:to|an|aan|à|do)(?:\**)?:.*\S/im, 0.8],
      [/^(?:\**)?(?:subject|betreff|onderwerp|objet|temat)(?:\**)?:/im, 1.5],
      [/^(?:message-id|mime-version|content-type|received|reply-to|cc|sent|date):/im, 0.8],
    ],
  },
];
