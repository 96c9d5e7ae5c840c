import { fold } from '#src/lib/text/words.ts';

/**
 * Dictionary of words that business documents use in labels. With it, a schema in one language is matched
 * word by word against a document in another. Each line gives the English meanings, followed by words in
 * German, French, Spanish, Italian, Dutch, Polish and Portuguese.
 */
const WORDS = `
account: konto compte cuenta conto rekening rachunek conta
address: adresse anschrift adres direccion domicilio indirizzo endereco
after: nach nachher apres despues dopo po
agreement, contract: vertrag contrat contrato contratto overeenkomst umowa
amount: betrag montant importe importo bedrag kwota valor
apartment, flat: wohnung appartement piso vivienda appartamento mieszkanie apartamento
article: artikel articolo articulo towar artigo
attend: besucht asistido frequentato bijgewoond participado
author: autor autore auteur
balance: saldo solde kontostand
bank: banque banco banca
before, previous: vor vorher avant antes prima przed
begin, commence, start: beginn beginnt anfang debut comienza inicio inizio inizia aanvang begint poczatek comeco
birth, born: geburt geboren naissance nacimiento nascita geboorte urodzenia nascimento
package, parcel: packstuck paket kolli colis bulto collo colli pakket paczka
building: gebaude batiment edificio gebouw budynek predio
buyer: kaufer acheteur comprador acquirente koper kupujacy
carrier: spedition spediteur transporteur transportista vettore corriere vervoerder przewoznik transportadora
case file: aktenzeichen dossier expediente pratica zaak sygnatura processo
certificate: zertifikat bescheinigung urkunde attestation certificat certificado attestato certificato certificaat zaswiadczenie
city, town: stadt ort ville ciudad localidad citta plaats miasto cidade
closing: abschluss schluss cloture cierre chiusura slot koncowe
company: firma unternehmen entreprise societe empresa azienda ditta bedrijf
condition, terms: bedingung konditionen modalite condicion condizioni voorwaarden warunki condicoes
consumption, usage: verbrauch consommation consumo verbruik zuzycie
correction: korrektur berichtigung correccion correzione correctie korekta
cost, charge: kosten cout frais coste costo spese koszt custo
country: land pays pais paese kraj
course, training, seminar: kurs lehrgang formation curso corso cursus szkolenie
credit: gutschrift avoir abono accredito creditnota credito
currency: wahrung devise monnaie moneda divisa valuta waluta moeda
customer, client: kunde cliente klant klient abnehmer
date: datum fecha data
daily: taglich journalier diario giornaliero dagelijks
day: tag jour dia giorno dag dzien
degree: diplome titulo laurea diploma
delivery, shipping, shipment: lieferung liefer livraison entrega envio consegna levering lever dostawy
delivery note: lieferschein albaran pakbon
department: abteilung service departamento reparto afdeling dzial
deposit: kaution depot fianza deposito cauzione borg waarborgsom kaucja caucao
description: beschreibung bezeichnung designation libelle descripcion concepto descrizione omschrijving opis descricao
difference: differenz unterschied abweichung diferencia differenza verschil roznica
discount: rabatt nachlass remise rabais descuento sconto korting rabat desconto
due: fallig echeance vencimiento scadenza verval termin zahlungsziel
duration, length: dauer laufzeit duree duracion durata duur looptijd duracao
employee: mitarbeiter arbeitnehmer salarie trabajador empleado dipendente lavoratore werknemer pracownik trabalhador
employer: arbeitgeber employeur empleador datore werkgever pracodawca empregador
end: ende endet fin termino fine einde koniec fim
energy: energie energia
exam: prufung examen prueba esame toets egzamin exame
fee: gebuhr honorar honoraire tarifa honorario tariffa onorario vergoeding oplata taxa
first name: vorname prenom nombre voornaam imie
flight: flug vol vuelo volo vlucht lot voo
from: von vom ab depuis desde dal vanaf
fuel: kraftstoff carburant combustible carburante brandstof paliwo
gross: brutto brut bruto lordo
gross income: devengado bruttolohn
grade: calificacion voto cijfer ocena nota
hour: stunde heure hora ora uur godzin
income: einkommen lohn revenu ingreso renta reddito inkomen dochod rendimento
income tax: lohnsteuer einkommensteuer irpf irpef loonheffing inkomstenbelasting irs
insurance: versicherung assurance seguro assicurazione verzekering ubezpieczenie
interest: zinsen zins interet interes interessi rente odsetki juros
invoice, bill: rechnung facture factura fattura factuur faktura fatura
issue, issued: ausgestellt ausstellung emission emis emitido expedicion expedido rilascio emissione uitgifte afgifte wystawienia emissao delivre
item: position posten
landlord, lessor: vermieter bailleur arrendador locatore verhuurder wynajmujacy senhorio
last name: nachname familienname apellido cognome achternaam nazwisko apelido surname
lease, tenancy: mietvertrag bail arrendamiento alquiler locazione huur najmu arrendamento location
license, licence: lizenz licencia licenza licentie licencja
loan: darlehen kredit pret prestamo prestito lening kredyt emprestimo
maker, manufacturer: hersteller fabricant fabricante produttore fabrikant producent
material: werkstoff materiau materiale materiaal
member: mitglied membre miembro socio lid czlonek membro
meter: zahler compteur contador contatore teller licznik
minimum: mindest
model: modell modele modelo modello
month, monthly: monat mois mes mese maand miesiac monatlich monatliche mensuel mensual mensile maandelijks miesieczny mensal
name: nom nome naam nazwa
net: netto nette neto liquido
net pay: nettolohn auszahlungsbetrag percibir
pay: auszahlung payer pagar betalen zaplaty wyplata
note: schein bon
notice: kundigung kundigungsfrist preavis preaviso opzegging opzegtermijn preavviso wypowiedzenia
number: nummer nr numero no num numer
opening: ouverture apertura beginsaldo
order: bestellung bestell auftrag commande pedido ordine bestelling zamowienia encomenda
origin: herkunft ursprung origine origen herkomst pochodzenie
owner, holder: eigentumer inhaber proprietaire titulaire propietario titular proprietario eigenaar wlasciciel
page: seite pagina strona
paid: bezahlt paye pagado pagato betaald zaplacono
passenger: fahrgast passager pasajero passeggero passagier pasazer passageiro
patient: paciente paziente pacjent
payment: zahlung paiement pago pagamento betaling platnosci
rate: satz prozent taux tipo aliquota tarief stawka
period: zeitraum periode periodo frist okres abrechnungszeitraum
phone, telephone: telefon telefono telefoon telefone tel
place: lieu lugar luogo miejsce
postal: post
premium: pramie prime premio premie skladka
price: preis prix precio prezzo prijs cena preco
product: produkt produit producto prodotto produto
profession, occupation: beruf profesion professione beroep zawod profissao
property, premises: immobilie mietobjekt bien inmueble immobile pand nieruchomosc imovel
purpose: zweck verwendungszweck objet motivo causale doel cel
quantity, count: menge anzahl quantite cantidad quantita aantal hoeveelheid ilosc quantidade
reason: grund raison motif causa reden powod
receipt: quittung beleg recu recibo ricevuta paragon
recipient: empfanger destinataire destinatario ontvanger odbiorca
reference: referenz zeichen referencia riferimento referentie kenmerk
registration: anmeldung inscription inscripcion iscrizione registratie rejestracji matricula
rent: miete mietzins loyer canone affitto huurprijs czynsz aluguel
salary, wage: gehalt salaire salario nomina stipendio loon wynagrodzenie
sender: absender expediteur remitente mittente afzender nadawca remetente
signed: unterzeichnet unterschrieben signe firmado firmato ondertekend podpisano assinado
social: sozial
street: strasse rue calle via straat ulica rua
student: schuler eleve etudiant alumno estudiante studente uczen aluno
subject: betreff asunto oggetto onderwerp temat assunto
total: summe gesamt somme suma totale totaal razem
supplier: lieferant fournisseur proveedor fornitore leverancier dostawca fornecedor
tax: steuer impot impuesto imposta belasting podatek imposto
tenant, lessee: mieter locataire arrendatario inquilino conduttore huurder najemca
time: zeit uhrzeit tijd godzina
title: titel titre titolo tytul
until: bis jusqu hasta fino tot
valid: gultig valable valide valido geldig wazny
value: wert valeur valore waarde wartosc
vehicle: fahrzeug vehicule vehiculo veicolo voertuig pojazd veiculo
weight: gewicht poids peso waga
witness: zeuge temoin testigo testimone getuige swiadek testemunha
year: jahr annee ano anno jaar rok
`;

/** Maximum length in letters of the endings in which two forms of a word may differ. */
const MAX_ENDING_LENGTH = 2;
/** Minimum length in letters of a word that may have endings or be part of a compound. */
const MIN_WORD_LENGTH = 4;
const MAX_WORD_LENGTH = 40;

const MEANINGS = new Map<string, string[]>();
/** English synonyms of English words. */
const ENGLISH = new Map<string, string[]>();
for (const line of WORDS.trim().split('\n')) {
  const [english = '', words = ''] = line.split(':');
  const [meanings = '', ...others] = english.split(', ');
  const meant = meanings.split(' ');
  const own = [...(meant.length === 1 ? meant : []), ...others];
  for (const word of own) ENGLISH.set(word, meant);
  for (const word of [...own, ...words.trim().split(' ')].map(fold)) {
    // For a word with several meanings, the first meaning in the dictionary is used. A word that is itself an
    // English meaning keeps this meaning.
    if (word && (!MEANINGS.has(word) || meant[0] === word)) MEANINGS.set(word, meant);
  }
}

/** Returns the synonyms of an English word or its plural. Returns undefined if the dictionary has none. */
export const findEnglishSynonyms = (word: string): readonly string[] | undefined =>
  ENGLISH.get(word) ?? ENGLISH.get(word.replace(/s$/, ''));

const MAX_CACHED_TRANSLATIONS = 20_000;
/**
 * Cache of translated words. Unknown words are not cached, because a substring would keep the whole
 * document's text in memory.
 */
const translationCache = new Map<string, string[]>();

/**
 * Returns the English meanings of a word, or of the parts of a compound word. Returns undefined if the
 * dictionary contains neither.
 */
export function translate(word: string): readonly string[] | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  const before = translationCache.get(word);
  if (before) return before;
  const found = findMeanings(word) ?? translateCompound(word);
  if (found) {
    if (translationCache.size >= MAX_CACHED_TRANSLATIONS) translationCache.clear();
    translationCache.set(word, found);
  }
  return found;
}

function findMeanings(word: string): string[] | undefined {
  const own = MEANINGS.get(word);
  if (own || word.length <= MIN_WORD_LENGTH) return own;
  for (let cut = 1; cut <= MAX_ENDING_LENGTH; cut++) {
    const form = word.length - cut >= MIN_WORD_LENGTH ? MEANINGS.get(word.slice(0, -cut)) : undefined;
    if (form) return form;
  }
  return undefined;
}

/** Returns the meanings of the known parts of a compound such as "Mietdauer". The last part must be known. */
function translateCompound(word: string): string[] | undefined {
  if (word.length < 2 * MIN_WORD_LENGTH) return undefined;
  for (let at = MIN_WORD_LENGTH - 1; at <= word.length - MIN_WORD_LENGTH; at++) {
    const last = findMeanings(word.slice(at));
    if (!last) continue;
    const first = word.slice(0, at);
    const meant = findMeanings(first) ?? findMeanings(first.replace(/(?:s|n|e|en|es)$/, '')) ?? [first];
    return [...meant, ...last];
  }
  return undefined;
}
