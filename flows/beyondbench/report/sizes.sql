-- How does accuracy fall with size in the tasks of the Hard suite?
SELECT task, size, player, instances, accuracy, accuracy_low, accuracy_high
FROM beyondbench_sizes
WHERE edition = $edition AND suite = 'hard'
ORDER BY task, player, size
