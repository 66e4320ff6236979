/* Offiziersskat with all cards known: what each card is worth, by alpha-beta with a table of positions.

   A slot is where a card lies: 0 to 7 the open cards of side 0, 8 to 15 those covered by them, 16 to 31 the same of
   side 1. A number is a card: of two cards of one colour the smaller number is the better one, and colour 0 are trumps. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 32, COLOUR = 11, BITS = 19, BOUND = 121 };

typedef struct { uint64_t key; int16_t least, most; } entry;

static entry *table;
static int number[SLOTS], eyes[SLOTS];
static uint32_t colour[SLOTS];      /* the slots of all cards of the same colour */
static int end;                     /* cards with which the search stops */

static int takes(int reply, int lead)
{
    int one = number[reply], other = number[lead];
    return one / COLOUR == other / COLOUR ? one < other : one < COLOUR;
}

static uint32_t open_cards(uint32_t cards, int side)
{
    return cards & ~((cards & 0x00ff00ffu) << 8) & (side ? 0xffff0000u : 0x0000ffffu);
}

static int value(uint32_t cards, int side, int rest, int low, int high);

static int trick(uint32_t cards, int side, int rest, int lead, int reply, int low, int high)
{
    int won = eyes[lead] + eyes[reply];
    cards ^= 1u << lead ^ 1u << reply;
    return takes(reply, lead) ? -won - value(cards, 1 - side, rest - won, -won - high, -won - low)
                              : won + value(cards, side, rest - won, low - won, high - won);
}

static int answered(uint32_t cards, int side, int rest, int lead, int low, int high)
{
    uint32_t others = open_cards(cards, 1 - side), follow = others & colour[lead];
    int worst = high;
    for (uint32_t left = follow ? follow : others; left && worst > low; left &= left - 1) {
        int found = trick(cards, side, rest, lead, __builtin_ctz(left), low, worst);
        if (found < worst)
            worst = found;
    }
    return worst;
}

static int value(uint32_t cards, int side, int rest, int low, int high)
{
    if (rest <= low || !rest)
        return rest;
    if (-rest >= high)
        return -rest;
    if (__builtin_popcount(cards) <= end)
        return 0;
    uint64_t key = ((uint64_t)cards << 1 | side) + 1;
    entry *known = table + (key * 0x9e3779b97f4a7c15u >> (64 - BITS));
    int least = -BOUND, most = BOUND, best = -BOUND;
    if (known->key == key) {
        least = known->least, most = known->most;
        if (least >= high || least == most)
            return least;
        if (most <= low)
            return most;
        low = low > least ? low : least;
        high = high < most ? high : most;
    }
    for (uint32_t left = open_cards(cards, side); left && best < high; left &= left - 1) {
        int found = answered(cards, side, rest, __builtin_ctz(left), best > low ? best : low, high);
        if (found > best)
            best = found;
    }
    known->key = key;
    known->least = best > low ? best : least;
    known->most = best < high ? best : most;
    return best;
}

/* Write what the card in each slot of side 0 is worth to it, if it may be played; `led`: the slot from which side 1
   has led, or -1. `tricks` are searched; what lies beyond is worth nothing. */
void skat_worlds(const int *numbers, const int *counts, int led, int tricks, int *worths)
{
    uint32_t cards = 0, moves;
    int rest = 0;
    if (!table)
        table = calloc(1u << BITS, sizeof *table);
    else
        memset(table, 0, (1u << BITS) * sizeof *table);
    for (int slot = 0; slot < SLOTS; slot++) {
        number[slot] = numbers[slot];
        colour[slot] = 0;
        if (numbers[slot] < 0)
            continue;
        cards |= 1u << slot;
        eyes[slot] = counts[numbers[slot]];
        rest += eyes[slot];
        for (int other = 0; other < SLOTS; other++)
            if (numbers[other] >= 0 && numbers[other] / COLOUR == numbers[slot] / COLOUR)
                colour[slot] |= 1u << other;
    }
    end = __builtin_popcount(cards) - 2 * tricks;
    moves = open_cards(cards, 0);
    for (; moves; moves &= moves - 1) {
        int slot = __builtin_ctz(moves);
        worths[slot] = led < 0 ? answered(cards, 0, rest, slot, -BOUND, BOUND)
                               : -trick(cards, 1, rest, led, slot, -BOUND, BOUND);
    }
}
