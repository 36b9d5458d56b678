#!/bin/bash
# Searches a file in the parts of a Slurm array, and leaves the rows of each part in hits/.
#
#     sbatch --array=1-100 slurm.sh genome.fa -k 3 -f guides.txt
#     cat hits/*-of-000100.tsv > hits.tsv    # once all tasks have ended
#
# The array must begin with 1: task I searches part I. To repeat tasks that failed, submit the numbers that are missing
# in hits/ again, with PARTS=100.

#SBATCH --job-name=nigh
#SBATCH --cpus-per-task=8
#SBATCH --requeue

set -euo pipefail
file=$1
shift
parts=${PARTS:-$SLURM_ARRAY_TASK_COUNT}
part=hits/$(printf '%06d-of-%06d' "$SLURM_ARRAY_TASK_ID" "$parts").tsv
mkdir -p hits

# The search fails if the file has another size than the given one. The status 1 says that the part has no hit.
size=$(stat --dereference --format=%s -- "$file")
nigh --threads "${SLURM_CPUS_PER_TASK:-1}" "$@" --shard "$SLURM_ARRAY_TASK_ID/$parts:$size" -- "$file" > "$part.unfinished" || [ $? -eq 1 ]
mv "$part.unfinished" "$part"
