-- Measures of association of any two columns, by the same definitions as in `perennial.tasks.statistics`; other macros are their parts.
-- `list_transform([value], lambda name: ...)[1]` names a value: a macro's argument is computed wherever its name stands.
-- Fields are read as `name['field']`: in HAVING, DuckDB takes `name.field` for a column.

-- Pairs with a NULL are left out. chi2 is the sum of (observed - expected)^2 / expected, where expected is product / n. Expected
-- counts of empty cells are what the others lack: sums of whole numbers are exact, so there is no table of all cells.
CREATE OR REPLACE MACRO chi_square(a, b) AS list_transform(
    list_transform([{
        'a_counts': histogram(a) FILTER (a IS NOT NULL AND b IS NOT NULL),
        'b_counts': histogram(b) FILTER (a IS NOT NULL AND b IS NOT NULL),
        'cell_counts': map_entries(histogram({'a_value': a, 'b_value': b}) FILTER (a IS NOT NULL AND b IS NOT NULL)),
        'n': (count(*) FILTER (a IS NOT NULL AND b IS NOT NULL))::HUGEINT
    }], lambda counts: {
        'n': counts['n'],
        'a_categories': cardinality(counts['a_counts'])::BIGINT,
        'b_categories': cardinality(counts['b_counts'])::BIGINT,
        'cells': list_transform(counts['cell_counts'], lambda cell: {
            'observed': cell['value'],
            'product': counts['a_counts'][cell['key']['a_value']]::HUGEINT * counts['b_counts'][cell['key']['b_value']]
        })
    }), lambda counted: {
        'n': counted['n']::BIGINT,
        'a_categories': counted['a_categories'],
        'b_categories': counted['b_categories'],
        'chi2': CASE WHEN least(counted['a_categories'], counted['b_categories']) > 1 THEN (
            list_sum(list_transform(counted['cells'], lambda cell:
                (counted['n'] * cell['observed'] - cell['product'])::DOUBLE ** 2 / cell['product']))
            + (counted['n'] * counted['n'] - list_sum(list_transform(counted['cells'], lambda cell: cell['product'])))::DOUBLE
        ) / counted['n'] END
    })[1]
;
CREATE OR REPLACE MACRO cramers_v(a, b) AS list_transform([chi_square(a, b)], lambda test:
    CASE WHEN test['chi2'] >= 0 THEN least(1, sqrt(
        test['chi2'] / (test['n'] * (least(test['a_categories'], test['b_categories']) - 1))
    )) END)[1]
;
-- W. Bergsma, A bias-correction for Cramer's V and Tschuprow's T (2013).
CREATE OR REPLACE MACRO cramers_v_corrected(a, b) AS list_transform([chi_square(a, b)], lambda test:
    CASE WHEN test['chi2'] >= 0 AND greatest(test['a_categories'], test['b_categories']) < test['n'] THEN least(1, sqrt(
        greatest(0, test['chi2'] / test['n'] - (test['a_categories'] - 1) * (test['b_categories'] - 1) / (test['n'] - 1))
        / least(test['a_categories'] - 1 - (test['a_categories'] - 1) ** 2 / (test['n'] - 1),
                test['b_categories'] - 1 - (test['b_categories'] - 1) ** 2 / (test['n'] - 1))
    )) END)[1]
;
-- The share of the gamma distribution of this shape beyond x: below shape + 1 by the series of the rest, above by the continued
-- fraction (Abramowitz and Stegun, 6.5.29 and 6.5.31), each from the last term that counts in a double.
CREATE OR REPLACE MACRO gamma_tail(shape, x) AS CASE
    WHEN x <= 0 THEN 1.0
    WHEN x < shape + 1 THEN 1 - exp(shape * ln(x) - x - lgamma(shape + 1)) * list_reduce(
        range((40 + 9 * sqrt(shape))::BIGINT, 0, -1), lambda rest, k: 1 + rest * x / (shape + k), 1.0::DOUBLE)
    ELSE exp(shape * ln(x) - x - lgamma(shape)) / list_reduce(
        range((90 + 9 * sqrt(shape))::BIGINT, 0, -1), lambda rest, k: x + 2 * k - 1 - shape - k * (k - shape) / rest, 1e300::DOUBLE)
END
;
CREATE OR REPLACE MACRO chi_square_p(a, b) AS list_transform([chi_square(a, b)], lambda test:
    gamma_tail((test['a_categories'] - 1) * (test['b_categories'] - 1) / 2, test['chi2'] / 2))[1]
;
-- Values over their largest have no square that overflows; a side is constant if they differ by rounding only.
CREATE OR REPLACE MACRO over_largest("values") AS list_transform(
    [{'listed': "values", 'largest': greatest(abs(list_min("values")), abs(list_max("values")))}],
    lambda side: list_transform(side['listed'], lambda v: CASE WHEN side['largest'] = 0 THEN 0 ELSE v / side['largest'] END))[1]
;
CREATE OR REPLACE MACRO deviations("values") AS list_transform([{'listed': "values", 'mean': list_avg("values")}],
    lambda side: list_transform(side['listed'], lambda v: v - side['mean']))[1]
;
-- Pairs with a NULL, or with a number that is not finite, are left out. The interval is R. A. Fisher's, of 95%.
CREATE OR REPLACE MACRO pearson(a, b) AS list_transform(
    list_transform(
        list_transform([coalesce(
            list({'a_value': a::DOUBLE, 'b_value': b::DOUBLE}) FILTER (isfinite(a::DOUBLE) AND isfinite(b::DOUBLE)), []
        )], lambda pairs: {
            'a_values': over_largest(list_transform(pairs, lambda pair: pair['a_value'])),
            'b_values': over_largest(list_transform(pairs, lambda pair: pair['b_value']))
        }), lambda sides: {
            'n': len(sides['a_values']),
            'r': CASE WHEN len(sides['a_values']) > 2 AND list_max(sides['a_values']) - list_min(sides['a_values']) > 1e-11
                       AND list_max(sides['b_values']) - list_min(sides['b_values']) > 1e-11
                      THEN list_cosine_similarity(deviations(sides['a_values']), deviations(sides['b_values'])) END
        }), lambda found: {
        'n': found['n'],
        'r': found['r'],
        'low': CASE WHEN found['n'] > 3 AND 1 - abs(found['r']) >= 1e-12
                    THEN tanh(atanh(found['r']) - 1.959963984540054 / sqrt(found['n'] - 3)) END,
        'high': CASE WHEN found['n'] > 3 AND 1 - abs(found['r']) >= 1e-12
                     THEN tanh(atanh(found['r']) + 1.959963984540054 / sqrt(found['n'] - 3)) END
    })[1]
;
COMMENT ON MACRO chi_square IS 'Pearson''s chi-squared of two columns without Yates'' correction: {n, a_categories, b_categories, chi2}'
;
COMMENT ON MACRO cramers_v IS 'Cramér''s V of two columns, 0 to 1; NULL if a column has a single value'
;
COMMENT ON MACRO cramers_v_corrected IS 'Cramér''s V of two columns, bias-corrected (Bergsma 2013): about 0 without association'
;
COMMENT ON MACRO chi_square_p IS 'p of the chi-square test of independence of two columns; unreliable if expected counts are below 5'
;
COMMENT ON MACRO pearson IS 'Pearson''s correlation of two columns of numbers with Fisher''s 95% interval: {n, r, low, high}'
;
