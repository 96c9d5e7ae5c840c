import { describe, expect, it } from 'vitest';
import { detectLanguage } from '#src/languages/detect.ts';

const samples: Record<string, string[]> = {
  en: ['The invoice was paid in full and the goods were shipped.', 'Who wrote the report on the bridge?'],
  nl: [
    'De factuur is betaald en de goederen zijn naar het magazijn gestuurd.',
    'Wat is het bedrag van de factuur?',
  ],
  fr: [
    'La facture a été payée et les marchandises sont dans le dépôt.',
    'Quel est le montant de la facture ?',
  ],
  de: ['Die Rechnung wurde bezahlt und die Ware ist im Lager.', 'Wie hoch ist der Betrag auf der Rechnung?'],
  es: ['La factura fue pagada y los productos están en el almacén.', '¿Cuál es el importe de la factura?'],
  it: ['La fattura è stata pagata e la merce si trova nel magazzino.', 'Qual è il totale della fattura?'],
  pt: ['A fatura foi paga e as mercadorias estão no armazém.', 'Qual é o valor da fatura que não foi paga?'],
  pl: [
    'Faktura została opłacona, a towar jest w magazynie i nie został wysłany.',
    'Jaka jest kwota na fakturze?',
  ],
  sv: ['Fakturan är betald och varorna finns i lagret.', 'Vad är beloppet på fakturan som inte är betald?'],
  da: [
    'Fakturaen er blevet betalt, og varerne er på lageret af hensyn til kunden.',
    'Hvor meget skal der betales, og hvornår blev den sendt af jer?',
  ],
  no: [
    'Fakturaen ble betalt, og varene er på lageret nå, men bare noe av det.',
    'Hvor mye er det å betale, og når ble den sendt av dere?',
  ],
  fi: ['Lasku on maksettu ja tavarat ovat varastossa.', 'Mikä on laskun summa ja onko se maksettu?'],
  ru: ['Счёт был оплачен, и товар находится на складе.', 'Какая сумма указана в счёте?'],
  uk: ['Рахунок був оплачений, і товар є на складі.', 'Яка сума вказана в цьому рахунку?'],
  ro: ['Factura a fost plătită și mărfurile sunt în depozit.', 'Care este suma de pe factură?'],
  tr: ['Fatura ödendi ve ürünler depoda bulunuyor.', 'Bu faturanın tutarı ne kadar?'],
  cs: ['Faktura byla zaplacena a zboží je ve skladu.', 'Jaká je částka na této faktuře?'],
  hu: ['A számlát kifizették, és az áru a raktárban van.', 'Mennyi az összeg a számlán, és ki fizette ezt?'],
  vi: ['Hóa đơn đã được thanh toán và hàng hóa đang ở trong kho.', 'Tổng số tiền trên hóa đơn là bao nhiêu?'],
  fa: ['صورتحساب پرداخت شده است و کالاها در انبار هستند.'],
  ur: ['انوائس کی ادائیگی ہو چکی ہے اور سامان گودام میں ہے۔'],
  ja: ['請求書は支払われ、商品は倉庫にあります。'],
  zh: ['发票已支付，货物在仓库中。'],
  ko: ['송장이 지불되었고 상품은 창고에 있습니다.'],
  ar: ['تم دفع الفاتورة والبضائع موجودة في المستودع.'],
  he: ['החשבונית שולמה והסחורה נמצאת במחסן.'],
  id: ['Tagihan itu telah dibayar dan barang tersebut ada di gudang.'],
  sw: ['Ankara hiyo imelipwa na bidhaa ziko katika ghala.'],
  bg: ['Фактурата е платена и стоките са в склада, който се намира до града.'],
  hr: ['Račun je plaćen, a roba koja je kupljena nalazi se u skladištu.'],
  lt: ['Sąskaita buvo apmokėta ir prekės jau yra sandėlyje.'],
  bn: ['চালান পরিশোধ করা হয়েছে এবং পণ্য PDF-100 গুদামে আছে।'],
  te: ['ఇన్వాయిస్ చెల్లించబడింది'],
  ta: ['விலைப்பட்டியல் செலுத்தப்பட்டது'],
  km: ['វិក្កយបត្រត្រូវបានបង់'],
  el: ['Το τιμολόγιο πληρώθηκε και τα προϊόντα είναι στην αποθήκη.'],
};

describe('detectLanguage', () => {
  for (const [code, texts] of Object.entries(samples)) {
    it.each(texts)(`${code}: %s`, (text) => expect(detectLanguage(text)).toBe(code));
  }

  it('returns undefined for numbers, names and blanks', () => {
    for (const text of ['', '  ', '1234.50', 'XJ-900 QRS', 'Ada, Bob: see Ng'])
      expect(detectLanguage(text)).toBeUndefined();
  });

  it('returns undefined for a longer text with hardly any common word', () => {
    const names = Array.from({ length: 40 }, (_, i) => `Xoqel${'abcdefgh'[i % 8]} Mbuva`).join(' ');
    expect(detectLanguage(`${names} und ist`)).toBeUndefined();
    expect(detectLanguage('Xoqel Mbuva und ist')).toBe('de');
  });

  it('detects the language of the larger part of a mixed text', () => {
    expect(detectLanguage('The product 数据 is in the warehouse and it is not for sale.')).toBe('en');
    expect(detectLanguage('数据库中的所有文件都已经被删除，请联系 support。')).toBe('zh');
  });
});
